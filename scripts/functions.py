# SPDX-FileCopyrightText: limber contributors
# SPDX-License-Identifier: Apache-2.0
"""Finds the functions of a C++ or JavaScript text by its braces."""
import re

# Everything in which a brace has no meaning, in the order of matching.
NOT_CODE_CPP = re.compile(
    r"""//(?:\\\n|[^\n])*                                      # line comment
      | /\*.*?\*/                                              # block comment
      | \b(?:u8|u|U|L)?R"(?P<tag>[^\s()\\]{0,16})\(.*?\)(?P=tag)"   # raw string
      | "(?:\\.|[^"\\\n])*"                                    # string
      | (?<![0-9a-zA-Z_])(?:u8|u|U|L)?'(?:\\.|[^'\\\n])*'      # character; not the mark in 1'000
      | ^[ \t]*\#(?:\\\n|[^\n])*                               # preprocessor line, with those that continue it
    """,
    re.VERBOSE | re.DOTALL | re.MULTILINE,
)
NOT_CODE_JS = re.compile(
    r"""//[^\n]* | /\*.*?\*/ | "(?:\\.|[^"\\\n])*" | '(?:\\.|[^'\\\n])*' | `(?:\\.|[^`\\])*`
      | (?<=[=(,:;!&|?{}\n])[ ]*/(?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\\n])+/      # regular expression
    """,
    re.VERBOSE | re.DOTALL,
)
# Prefixes of a declaration, skipped to find the keyword of a C++ brace.
PREFIX = re.compile(r"(?:\s|\b(?:public|private|protected)\s*:|\[\[[^\]]*\]\]|\b(?:inline|static|constexpr|const|typedef|extern)\b)*")
SCOPE = re.compile(r"(?:namespace|class|struct|union|enum|concept)\b")
LATE_SCOPE = re.compile(r"\b(?:namespace|class|struct|union|enum)\s+[\w:]+[^()=]*$")  # after a macro
JS_CONTROL = re.compile(r"(?:else\s+)?(?:if|for|while|switch|catch|with)\b")


def brace_functions(text, javascript=False):
    """List of (first line, last line, name), one per function; in C++ nested functions count as part of the outer one.

    Raises ValueError when braces do not match.
    """
    blank = lambda match: re.sub(r"[^\n]", " ", match.group())
    code = (NOT_CODE_JS if javascript else NOT_CODE_CPP).sub(blank, text)
    closing = _match_braces(code)
    found = _javascript(code, closing) if javascript else _cpp(code, closing)
    line = lambda position: code.count("\n", 0, position) + 1
    return [(line(first), line(last), name) for first, last, name in found]


def _match_braces(code):
    """Position of the closing brace of every opening one."""
    closing, open_braces = {}, []
    for match in re.finditer(r"[{}]", code):
        if match.group() == "{":
            open_braces.append(match.start())
        elif open_braces:
            closing[open_braces.pop()] = match.start()
        else:
            raise ValueError(f"line {code.count(chr(10), 0, match.start()) + 1}: a closing brace too many")
    if open_braces:
        raise ValueError(f"line {code.count(chr(10), 0, open_braces[-1]) + 1}: brace is never closed")
    return closing


def _cpp(code, closing):
    """(first, last, name) of the functions at namespace or class level."""
    start, position, depth = 0, 0, 0  # start of the declaration, current position, open parentheses
    while position < len(code):
        letter = code[position]
        depth += (letter == "(") - (letter == ")")
        if letter == "{":
            last = closing[position]
            header, first = _header(code, start, position)
            after = code[last + 1 :].lstrip()[:1]
            if depth == 0 and (SCOPE.match(header) or LATE_SCOPE.search(header) or header in ("", "extern")):
                start = position + 1  # look inside
            elif depth > 0 or after in (",", "{") or "(" not in header or header.endswith("="):
                position = last  # an initial value, or the argument of a call: part of the declaration
            else:
                yield first, last, _name(header)
                start, position = last + 1, last
        elif letter == "}" or (letter == ";" and depth == 0):
            start = position + 1
        position += 1


def _header(code, start, end):
    """The declaration before a brace, without its prefixes, and its start."""
    first = PREFIX.match(code, start, end).end()
    header = code[first:end]
    template = re.match(r"template\s*<", header)
    if template:  # skip its parameters
        position, depth = template.end(), 1
        while position < len(header) and depth:
            depth += (header[position] == "<") - (header[position] == ">" and header[position - 1] != "-")
            position += 1
        return _header(code, first + position, end)[0], first
    return header.strip(), first


def _name(header):
    """The word before the first parenthesis; with its arguments for TEST(Suite, Name)."""
    test = re.match(r"((?:TYPED_)?TEST(?:_[FP])?)\s*\(([^)]*)\)", header)
    if test:
        return f"{test.group(1)}({test.group(2)})"
    words = re.search(r"([\w:~]+|operator[^(]*)\s*\(", header)
    return words.group(1) if words else header[:40]


def _javascript(code, closing):
    """(first, last, name) of every function, at any level."""
    for position, last in closing.items():
        first = max(code.rfind(mark, 0, position) for mark in ";{}") + 1
        header = code[first:position]
        first += len(header) - len(header.lstrip())
        header = header.strip()
        if header.endswith("=>") or (header.endswith(")") and not JS_CONTROL.match(header)):
            yield first, last, header.split("(")[0].strip()[-40:]
