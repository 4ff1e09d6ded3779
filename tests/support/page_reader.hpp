// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <zlib.h>

#include <cstdint>
#include <cstring>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

namespace limber::test {

// Reads the data of a page by the description in viewer/README.md.
class PageReader {
 public:
  nlohmann::json header;

  static PageReader of_file(const std::string& path) {
    std::ifstream in(path, std::ios::binary);
    std::stringstream all;
    all << in.rdbuf();
    return of_page(all.str());
  }
  static PageReader of_page(const std::string& page) {
    const std::string open = "type=\"application/octet-stream\"";
    std::size_t begin = page.find(open);
    if (begin == std::string::npos) throw std::runtime_error("no data in the page");
    begin = page.find('>', begin) + 1;
    std::string text = page.substr(begin, page.find('<', begin) - begin);
    std::erase_if(text, [](char c) { return c == '\n' || c == ' '; });
    return PageReader(unzipped(bytes_of_base64(text)));
  }

  explicit PageReader(const std::string& container) {
    if (container.substr(0, 8) != "LIMBERV1") throw std::runtime_error("not a container");
    std::uint32_t length = 0;
    std::memcpy(&length, container.data() + 8, 4);
    header = nlohmann::json::parse(container.substr(12, length));
    arrays_ = container.substr((12 + length + 7) / 8 * 8);
  }

  bool has(const std::string& name) const { return header["arrays"].contains(name); }
  std::vector<std::size_t> shape(const std::string& name) const { return header["arrays"].at(name)["shape"]; }
  std::vector<double> numbers(const std::string& name) const {
    const auto& entry = header["arrays"].at(name);
    std::size_t count = 1;
    for (const std::size_t n : shape(name)) count *= n;
    const char* at = arrays_.data() + entry["offset"].get<std::size_t>();
    if (entry["type"] == "f64") return plain<double>(at, count);
    return entry.contains("packed") ? unpacked(at, count, entry["packed"]) : plain<float>(at, count);
  }

 private:
  template <class T>
  static std::vector<double> plain(const char* at, std::size_t count) {
    std::vector<T> raw(count);
    std::memcpy(raw.data(), at, count * sizeof(T));
    return {raw.begin(), raw.end()};
  }
  static std::vector<double> unpacked(const char* at, std::size_t count, std::size_t stride) {
    std::vector<std::uint32_t> bits(count);
    std::vector<double> out;
    for (std::size_t i = 0; i < count; ++i) {
      std::uint32_t folded = 0;
      for (std::size_t plane = 0; plane < 4; ++plane)
        folded |= std::uint32_t{static_cast<unsigned char>(at[plane * count + i])} << (8 * plane);
      const std::uint32_t step = (folded >> 1) ^ (0u - (folded & 1));
      bits[i] = step + (i >= stride ? bits[i - stride] : 0);
      float value = 0;
      std::memcpy(&value, &bits[i], 4);
      out.push_back(value);
    }
    return out;
  }
  static std::string bytes_of_base64(const std::string& text) {
    const std::string alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    if (text.size() % 4 != 0) throw std::runtime_error("base64 is not padded");
    std::string out;
    std::uint32_t bits = 0;
    int count = 0;
    for (const char c : text) {
      if (c == '=') break;
      const std::size_t digit = alphabet.find(c);
      if (digit == std::string::npos) throw std::runtime_error("not base64");
      bits = bits << 6 | static_cast<std::uint32_t>(digit);
      count += 6;
      if (count < 8) continue;
      count -= 8;
      out += static_cast<char>(bits >> count & 255);
    }
    return out;
  }
  static std::string unzipped(const std::string& packed) {
    z_stream stream{};
    inflateInit2(&stream, 15 + 16);
    std::string in = packed, out;
    stream.next_in = reinterpret_cast<unsigned char*>(in.data());
    stream.avail_in = static_cast<unsigned>(in.size());
    int state = Z_OK;
    std::vector<unsigned char> piece(1 << 16);
    while (state == Z_OK) {
      stream.next_out = piece.data();
      stream.avail_out = static_cast<unsigned>(piece.size());
      state = inflate(&stream, Z_NO_FLUSH);
      out.append(reinterpret_cast<const char*>(piece.data()), piece.size() - stream.avail_out);
    }
    inflateEnd(&stream);
    if (state != Z_STREAM_END) throw std::runtime_error("the data do not unpack");
    return out;
  }
  std::string arrays_;
};

}  // namespace limber::test
