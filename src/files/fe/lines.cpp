// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#include "files/fe/lines.hpp"

#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <filesystem>

#ifdef LIMBER_HAS_LZMA
#include <lzma.h>
#endif

#include "limber/files/detail/text.hpp"
#include "limber/spatial/status.hpp"

namespace limber::fe {

class Lines::Bytes {
 public:
  virtual ~Bytes() = default;
  virtual std::size_t read(char* out, std::size_t most) = 0;  // 0: the end.  Throws FileError with the reason only
};

namespace {

constexpr std::size_t kReadBytes = std::size_t{1} << 16, kLongestLine = std::size_t{1} << 20;

class PlainBytes : public Lines::Bytes {
 public:
  explicit PlainBytes(const std::string& path) : file_(std::fopen(path.c_str(), "rb"), &std::fclose) {
    if (!file_) throw FileError(std::strerror(errno));
  }
  std::size_t read(char* out, std::size_t most) override {
    const std::size_t got = std::fread(out, 1, most, file_.get());
    if (got == 0 && std::ferror(file_.get()) != 0) throw FileError(std::strerror(errno));
    return got;
  }

 private:
  std::unique_ptr<std::FILE, int (*)(std::FILE*)> file_;
};

class GzipBytes : public Lines::Bytes {
 public:
  explicit GzipBytes(const std::string& path) : file_(gzopen(path.c_str(), "rb")) {
    if (file_ == nullptr) throw FileError(std::strerror(errno));
  }
  ~GzipBytes() override { gzclose(file_); }
  GzipBytes(const GzipBytes&) = delete;
  GzipBytes& operator=(const GzipBytes&) = delete;
  std::size_t read(char* out, std::size_t most) override {
    const int got = gzread(file_, out, static_cast<unsigned>(most));
    int code = Z_OK;
    const char* why = gzerror(file_, &code);
    if (got < 0 || (code != Z_OK && code != Z_STREAM_END))
      throw FileError(code == Z_BUF_ERROR ? "the compressed file was cut short" : why);
    return static_cast<std::size_t>(got);
  }

 private:
  gzFile file_;
};

#ifdef LIMBER_HAS_LZMA
class XzBytes : public Lines::Bytes {
 public:
  explicit XzBytes(const std::string& path) : file_(path), in_(kReadBytes, '\0') {
    constexpr std::uint64_t kMemory = std::uint64_t{256} << 20;
    if (lzma_stream_decoder(&stream_, kMemory, LZMA_CONCATENATED) != LZMA_OK) throw FileError("out of memory");
  }
  ~XzBytes() override { lzma_end(&stream_); }
  XzBytes(const XzBytes&) = delete;
  XzBytes& operator=(const XzBytes&) = delete;
  std::size_t read(char* out, std::size_t most) override {
    stream_.next_out = reinterpret_cast<std::uint8_t*>(out);
    stream_.avail_out = most;
    while (stream_.avail_out == most && !done_) {
      if (stream_.avail_in == 0 && !ended_) {
        stream_.avail_in = file_.read(in_.data(), in_.size());
        stream_.next_in = reinterpret_cast<const std::uint8_t*>(in_.data());
        ended_ = stream_.avail_in == 0;
      }
      const lzma_ret result = lzma_code(&stream_, ended_ ? LZMA_FINISH : LZMA_RUN);
      done_ = result == LZMA_STREAM_END;
      if (result == LZMA_OK || done_) continue;
      throw FileError(result == LZMA_BUF_ERROR      ? "the compressed file was cut short"
                      : result == LZMA_FORMAT_ERROR ? "it is not compressed by xz"
                                                    : "the compressed file is damaged");
    }
    return most - stream_.avail_out;
  }

 private:
  PlainBytes file_;
  std::string in_;
  lzma_stream stream_ = LZMA_STREAM_INIT;
  bool ended_ = false, done_ = false;
};
#endif

class TextBytes : public Lines::Bytes {
 public:
  explicit TextBytes(std::string text) : text_(std::move(text)) {}
  std::size_t read(char* out, std::size_t most) override {
    const std::size_t got = text_.copy(out, most, at_);
    at_ += got;
    return got;
  }

 private:
  std::string text_;
  std::size_t at_ = 0;
};

std::unique_ptr<Lines::Bytes> open_bytes(const std::string& path) {
  if (path.ends_with(".gz")) return std::make_unique<GzipBytes>(path);
  if (!path.ends_with(".xz")) return std::make_unique<PlainBytes>(path);
#ifdef LIMBER_HAS_LZMA
  return std::make_unique<XzBytes>(path);
#else
  throw FileError("this program was built without liblzma; unpack it with xz -d");
#endif
}

}  // namespace

Lines::Lines(std::unique_ptr<Bytes> bytes, std::string name) : bytes_(std::move(bytes)), name_(std::move(name)) {}
Lines::Lines(std::string text, std::string name)
    : Lines(std::make_unique<TextBytes>(std::move(text)), std::move(name)) {}
Lines::~Lines() = default;
Lines::Lines(Lines&&) noexcept = default;

Lines Lines::open(const std::string& path) {
  namespace fs = std::filesystem;
  std::error_code ignored;
  std::string found;
  for (const char* end : {"", ".xz", ".gz"})
    if (found.empty() && fs::exists(path + end, ignored)) found = path + end;
  if (found.empty()) throw FileError(fmt::format("{}: no such file, nor with .xz or .gz", path));
  if (fs::is_directory(found, ignored)) throw FileError(fmt::format("{}: is a directory; name a file in it", found));
  try {
    return {open_bytes(found), found};
  } catch (const FileError& e) {
    throw FileError(fmt::format("{}: cannot be read: {}", found, e.what()));
  }
}

void Lines::fail(const std::string& what) const { throw InputError(fmt::format("{}:{}: {}", name_, number_, what)); }

// Reads one more block after the unread part of the buffer.
bool Lines::fill() {
  if (ended_) return false;
  buffer_.erase(0, begin_);
  begin_ = 0;
  const std::size_t before = buffer_.size();
  buffer_.resize(before + kReadBytes);
  std::size_t got = 0;
  try {
    got = bytes_->read(buffer_.data() + before, kReadBytes);
  } catch (const FileError& e) {
    throw FileError(fmt::format("{}: after line {}: {}", name_, number_, e.what()));
  }
  buffer_.resize(before + got);
  ended_ = got == 0;
  return !ended_;
}

bool Lines::next(std::string_view& line) {
  if (again_) {
    again_ = false;
    line = last_;
    return true;
  }
  std::size_t end = buffer_.find('\n', begin_);
  while (end == std::string::npos) {
    const std::size_t searched = buffer_.size() - begin_;
    if (searched > kLongestLine) {
      ++number_;
      fail("the line is longer than 1 MiB; this is not a text file of a finite-element program");
    }
    if (!fill()) break;
    end = buffer_.find('\n', searched);
  }
  if (end == std::string::npos && begin_ == buffer_.size()) return false;
  const std::size_t stop = std::min(end, buffer_.size());
  last_ = std::string_view(buffer_).substr(begin_, stop - begin_);
  if (last_.ends_with('\r')) last_.remove_suffix(1);
  begin_ = std::min(stop + 1, buffer_.size());
  ++number_;
  line = last_;
  return true;
}

// ---- fields -------------------------------------------------------------------------------------

std::string_view trim(std::string_view text) {
  constexpr std::string_view kBlank = " \t\r";
  const std::size_t begin = text.find_first_not_of(kBlank);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(kBlank) - begin + 1);
}

std::string upper(std::string_view text) {
  std::string out(text);
  std::transform(out.begin(), out.end(), out.begin(), [](char c) { return c >= 'a' && c <= 'z' ? char(c - 32) : c; });
  return out;
}

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> out;
  while (true) {
    const std::size_t end = text.find(separator);
    out.push_back(trim(text.substr(0, end)));
    if (end == std::string_view::npos) return out;
    text.remove_prefix(end + 1);
  }
}

std::vector<std::string_view> words(std::string_view text) {
  constexpr std::string_view kBetween = " \t\r,";
  std::vector<std::string_view> out;
  for (std::size_t at = text.find_first_not_of(kBetween); at != std::string_view::npos;) {
    const std::size_t end = std::min(text.find_first_of(kBetween, at), text.size());
    out.push_back(text.substr(at, end - at));
    at = text.find_first_not_of(kBetween, end);
  }
  return out;
}

std::optional<long> to_integer(std::string_view text) {
  if (text.starts_with('+')) text.remove_prefix(1);
  long value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

std::optional<double> to_number(std::string_view text) {
  if (text.starts_with('+')) text.remove_prefix(1);
  double value = 0;
  const char* stop = text.data() + text.size();
  const auto [end, error] = std::from_chars(text.data(), stop, value);
  if (error == std::errc() && end == stop) return value;
  if (error == std::errc::result_out_of_range && end == stop && text.find_first_of("eE") != std::string_view::npos)
    return text.find("e-") != std::string_view::npos || text.find("E-") != std::string_view::npos
               ? 0.0
               : std::numeric_limits<double>::infinity();
  if (error != std::errc() || text.size() > 64) return std::nullopt;
  // Fortran's 1.5D+03 and Nastran's 1.5+3 in the usual notation.
  std::string usual(text.substr(0, static_cast<std::size_t>(end - text.data())));
  std::string_view rest(end, static_cast<std::size_t>(stop - end));
  if (rest.starts_with('d') || rest.starts_with('D'))
    rest.remove_prefix(1);
  else if (!rest.starts_with('+') && !rest.starts_with('-'))
    return std::nullopt;
  if (rest.starts_with('+')) rest.remove_prefix(1);
  usual += "e" + std::string(rest);
  const auto [usual_end, usual_error] = std::from_chars(usual.data(), usual.data() + usual.size(), value);
  if (usual_error != std::errc() || usual_end != usual.data() + usual.size()) return std::nullopt;
  return value;
}

double number_at(const Lines& lines, std::string_view text, const char* what) {
  const auto value = to_number(text);
  if (!value) lines.fail(fmt::format("{} must be a number, but is {}", what, show(std::string(text.substr(0, 80)))));
  if (!std::isfinite(*value)) lines.fail(fmt::format("{} is {}, not a finite number; export it again", what, text));
  return *value;
}

long integer_at(const Lines& lines, std::string_view text, const char* what) {
  const auto value = to_integer(text);
  if (!value)
    lines.fail(fmt::format("{} must be a whole number, but is {}", what, show(std::string(text.substr(0, 80)))));
  return *value;
}

}  // namespace limber::fe
