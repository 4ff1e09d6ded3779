// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#include "report/page.hpp"

#include <fmt/format.h>
#define ZLIB_CONST
#include <zlib.h>

#include <bit>
#include <memory>

#include "limber/files/detail/output.hpp"
#include "limber/spatial/status.hpp"

namespace limber {
namespace {

static_assert(std::endian::native == std::endian::little, "arrays are written as they lie in memory");

constexpr std::string_view kHole = "@LIMBER_VIEW_DATA@";
constexpr std::string_view kMark = "SPDX-FileCopyrightText: limber contributors";  // near the start of every page

template <class T>
std::string_view bytes_of(std::span<const T> values) {
  return {reinterpret_cast<const char*>(values.data()), values.size_bytes()};
}

// Differences of successive values as integers of zigzag type, split into four byte planes.
std::string packed(std::span<const float> values, std::size_t stride) {
  const std::size_t n = values.size();
  std::string out(4 * n, '\0');
  for (std::size_t i = 0; i < n; ++i) {
    const std::uint32_t before = i < stride ? 0 : std::bit_cast<std::uint32_t>(values[i - stride]);
    const std::uint32_t step = std::bit_cast<std::uint32_t>(values[i]) - before;
    const std::uint32_t folded = (step << 1) ^ (0u - (step >> 31));
    for (std::size_t plane = 0; plane < 4; ++plane)
      out[plane * n + i] = static_cast<char>((folded >> (8 * plane)) & 0xff);
  }
  return out;
}

std::string gzip(std::string_view bytes) {
  constexpr int kGzip = 15 + 16, kMemory = 9;
  z_stream stream{};
  if (deflateInit2(&stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, kGzip, kMemory, Z_DEFAULT_STRATEGY) != Z_OK)
    throw std::bad_alloc();
  const std::unique_ptr<z_stream, int (*)(z_stream*)> end(&stream, &deflateEnd);
  std::string out;
  std::vector<unsigned char> piece(1 << 18);
  constexpr std::size_t kMax = std::size_t{1} << 30;  // limit of zlib per call
  std::size_t taken = 0;
  int state = Z_OK;
  while (state != Z_STREAM_END) {
    if (stream.avail_in == 0 && taken < bytes.size()) {
      const std::size_t next = std::min(kMax, bytes.size() - taken);
      stream.next_in = reinterpret_cast<const unsigned char*>(bytes.data() + taken);
      stream.avail_in = static_cast<unsigned>(next);
      taken += next;
    }
    stream.next_out = piece.data();
    stream.avail_out = static_cast<unsigned>(piece.size());
    state = deflate(&stream, taken == bytes.size() ? Z_FINISH : Z_NO_FLUSH);
    out.append(reinterpret_cast<const char*>(piece.data()), piece.size() - stream.avail_out);
  }
  return out;
}

std::string base64(std::string_view bytes) {
  constexpr char kAlphabet[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string out;
  out.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    std::uint32_t three = 0;
    for (std::size_t k = 0; k < 3; ++k)
      three = three << 8 | (i + k < bytes.size() ? static_cast<unsigned char>(bytes[i + k]) : 0u);
    for (std::size_t k = 0; k < 4; ++k) out += i + k <= bytes.size() ? kAlphabet[(three >> (18 - 6 * k)) & 63] : '=';
  }
  return out;
}

[[maybe_unused]] std::size_t count_of(const PageData::Sizes& shape) {
  std::size_t count = 1;
  for (const std::size_t size : shape) count *= size;
  return count;
}

bool is_page(const std::string& path) { return OutputKind::starts_with(path, kMark, 512); }
constexpr OutputKind kPageKind = {"a page of limber", &is_page};

}  // namespace

void PageData::append(const std::string& name, const char* type, const Sizes& shape, std::string_view bytes) {
  bytes_.resize((bytes_.size() + 7) / 8 * 8);
  arrays_[name] = {{"type", type}, {"shape", shape}, {"offset", bytes_.size()}};
  bytes_ += bytes;
}

std::string PageData::add(const std::string& name, const Sizes& shape, std::span<const float> values,
                          std::size_t stride) {
  LIMBER_ASSERT(count_of(shape) == values.size());
  if (has(name)) return name;
  append(name, "f32", shape, stride > 0 ? packed(values, stride) : std::string(bytes_of(values)));
  if (stride > 0) arrays_[name]["packed"] = stride;
  return name;
}

std::string PageData::add(const std::string& name, const Sizes& shape, std::span<const double> values) {
  LIMBER_ASSERT(count_of(shape) == values.size());
  if (!has(name)) append(name, "f64", shape, bytes_of(values));
  return name;
}

std::string PageData::add(const std::string& name, const Sizes& shape, std::span<const std::uint32_t> values) {
  LIMBER_ASSERT(count_of(shape) == values.size());
  if (!has(name)) append(name, "u32", shape, bytes_of(values));
  return name;
}

nlohmann::ordered_json PageData::embed(const PageData& part) {
  bytes_.resize((bytes_.size() + 7) / 8 * 8);
  nlohmann::ordered_json out = part.header, places = part.arrays_;
  for (auto& place : places) place["offset"] = place["offset"].get<std::size_t>() + bytes_.size();
  bytes_ += part.bytes_;
  out["limber_view"] = 1;
  out["arrays"] = std::move(places);
  return out;
}

std::string PageData::container() const {
  nlohmann::ordered_json whole = header;
  whole["limber_view"] = 1;
  whole["arrays"] = arrays_;
  const std::string text = whole.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
  const auto length = static_cast<std::uint32_t>(text.size());
  std::string out = "LIMBERV1";
  out += bytes_of(std::span(&length, 1));
  out += text;
  out.resize((out.size() + 7) / 8 * 8);
  return out + bytes_;
}

std::string make_page(const PageData& data) {
  const std::string_view page = page_template();
  const std::size_t hole = page.find(kHole);
  std::string out(page.substr(0, hole));
  out += base64(gzip(data.container()));
  return out += page.substr(hole + kHole.size());
}

void check_page(const std::string& path, const std::vector<std::string>& never_overwrites) {
  check_output(path, never_overwrites, kPageKind);
}

std::size_t write_page(const PageData& data, const std::string& path,
                       const std::vector<std::string>& never_overwrites) {
  const std::string page = make_page(data);
  write_whole_file(path, kPageKind, never_overwrites, page);
  return page.size();
}

}  // namespace limber
