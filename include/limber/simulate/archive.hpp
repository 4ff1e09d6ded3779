// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstring>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include "limber/model/model.hpp"

namespace limber {

// Saved state, as bytes of this machine.  Every class with state lists its members once,
//   void transfer(Archive& archive) { archive(q_, v_, count_); }
// which then writes or reads them, depending on the archive.
class Archive {
 public:
  Archive() = default;                                                              // for writing
  explicit Archive(std::span<const std::byte> saved) : in_(saved), reads_(true) {}  // which must outlive it

  bool reads() const { return reads_; }                         // otherwise it writes
  const std::vector<std::byte>& bytes() const { return out_; }  // what was written
  bool at_end() const { return next_ == in_.size(); }           // everything was read

  // Writes or reads them, in this order.
  template <class... T>
  void operator()(T&... parts) {
    (part(parts), ...);
  }

 private:
  void raw(void* data, std::size_t size) {
    if (size == 0) return;
    if (!reads_) {
      const auto* from = static_cast<const std::byte*>(data);
      out_.insert(out_.end(), from, from + size);
      return;
    }
    if (in_.size() - next_ < size) throw InputError("the saved state ends too early: it is of another simulation");
    std::memcpy(data, in_.data() + next_, size);
    next_ += size;
  }
  template <class Container>
  void sized(Container& x) {
    auto size = static_cast<std::size_t>(x.size());
    raw(&size, sizeof size);
    if (size > (std::size_t{1} << 40) || (reads_ && size > in_.size()))
      throw InputError("the saved state does not fit: it is of another simulation");
    if (reads_ && size != static_cast<std::size_t>(x.size())) x.resize(static_cast<decltype(x.size())>(size));
  }

  template <class T>
  void part(T& x) {
    if constexpr (requires { x.transfer(*this); }) {
      x.transfer(*this);
    } else {
      static_assert(std::is_trivially_copyable_v<T> && !std::is_pointer_v<T>);
      raw(&x, sizeof x);
    }
  }
  void part(VectorXd& x) {
    sized(x);
    raw(x.data(), static_cast<std::size_t>(x.size()) * sizeof(double));
  }
  void part(std::string& x) {
    sized(x);
    raw(x.data(), x.size());
  }
  template <class T>
  void part(std::vector<T>& x) {
    sized(x);
    for (T& one : x) part(one);
  }
  void part(State& x) { (*this)(x.t, x.q, x.v); }

  std::vector<std::byte> out_;
  std::span<const std::byte> in_;
  std::size_t next_ = 0;
  bool reads_ = false;
};

}  // namespace limber
