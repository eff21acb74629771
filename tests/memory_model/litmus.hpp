// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Litmus tests as text, in the form in which PTX tests are published for herd-like tools:
//
//   P0@cta 0,gpu 0      | P1@cta 1,gpu 0       ;
//   st.weak x, 1        | ld.acquire.gpu r1, f ;
//   st.release.gpu f, 1 | ld.weak r2, x        ;
//   exists (P1:r1 == 1 /\ P1:r2 == 0)
//
// All locations are zero at first. An operation of one proxy only; `bar.cta` alone of the barriers.
#pragma once
#include <algorithm>
#include <map>
#include <set>
#include <string_view>

#include "memory_model/explorer.hpp"

namespace memory_model {

class litmus {
 public:
  explicit litmus(std::string_view text) {
    for (const std::string_view line : split(text, '\n')) {
      const std::size_t end = line.find(';');
      if (end != line.npos && columns_.empty()) add_threads(line.substr(0, end));
      else if (end != line.npos) add_row(line.substr(0, end));
      else if (!columns_.empty()) condition_ += std::string(line) + ' ';
      if (end != line.npos && columns_.empty()) initials_ += std::string(line);
    }
    for (const auto& [barrier, columns] : barrier_users_)
      program_.barriers[static_cast<std::size_t>(barrier)] = columns;
    for (std::size_t t = 0; t < columns_.size(); ++t)
      program_.run(names_[t].c_str(), positions_[t], [this, t](thread& own) { execute(own, columns_[t], t); });
  }
  litmus(const litmus&) = delete;

  /// Whether what the test says holds: that an outcome exists, or that none does, or that all are such.
  bool holds() {
    const std::string_view all = trim(condition_);
    const bool is_none = all.starts_with("~exists"), is_all = all.starts_with("forall");
    const std::string_view asked = all.substr(all.find_first_of("( ", 5));
    bool exists = false;
    explorer with(program_);
    with.explore(
        [&](const outcome& own) {
          rest_ = asked;
          exists = is_true(own) != is_all;
          return exists ? visit::stop : visit::go_on;
        },
        true);
    if (with.executions == 0) throw std::logic_error("no execution is allowed");
    return exists != (is_none || is_all);
  }
  /// How many executions are allowed.
  long executions() {
    explorer with(program_);
    with.explore([](const outcome&) { return visit::go_on; }, true);
    return with.executions;
  }

 private:
  using words = std::vector<std::string>;

  static std::string_view trim(std::string_view text) {
    while (!text.empty() && std::isspace(static_cast<unsigned char>(text.front()))) text.remove_prefix(1);
    while (!text.empty() && std::isspace(static_cast<unsigned char>(text.back()))) text.remove_suffix(1);
    return text;
  }
  static std::vector<std::string_view> split(std::string_view text, char at) {
    std::vector<std::string_view> parts;
    for (std::size_t end; (end = text.find(at)) != text.npos; text.remove_prefix(end + 1))
      parts.push_back(text.substr(0, end));
    parts.push_back(text);
    return parts;
  }
  void add_threads(std::string_view line) {
    if (line.find('@') == line.npos) return;
    for (const std::string_view each : split(line, '|')) {
      const auto number = [&](std::string_view of) {
        const std::size_t at = each.find(of);
        return at == each.npos ? 0 : std::atoi(std::string(each.substr(at + of.size())).c_str());
      };
      names_.emplace_back(trim(each.substr(0, each.find('@'))));
      positions_.push_back({number("cta "), number("gpu "), 0});
      columns_.emplace_back();
    }
  }
  void add_row(std::string_view line) {
    const auto cells = split(line, '|');
    for (std::size_t t = 0; t < cells.size() && t < columns_.size(); ++t) {
      words own;
      std::string word;
      for (const char c : std::string(cells[t]) + ' ')
        if (c != ' ' && c != ',') word += c;
        else if (!word.empty()) own.push_back(word), word.clear();
      if (own.empty()) continue;
      if (own[0].starts_with("bar")) {
        if (own.size() != 2) throw std::invalid_argument("barriers have a number and nothing else");
        const int barrier = barrier_of(t, own.back());
        if (!own[0].ends_with("wait")) ++barrier_users_[barrier];
      }
      for (const std::string& each : own)
        if (is_location(each)) location_of(each);
      columns_[t].push_back(own);
    }
  }
  static bool is_location(const std::string& word) {
    return std::isalpha(static_cast<unsigned char>(word[0])) && word[0] != 'r' && word.find('.') == word.npos &&
           !word.starts_with("LC") && word != "add" && word != "goto" && word != "beq" && word != "bne" &&
           word.find(':') == word.npos;
  }
  int location_of(const std::string& name) {
    const auto found = locations_.find(name);
    if (found != locations_.end()) return found->second;
    const auto at = initials_.find(name + "=");
    const int initial = at == initials_.npos ? 0 : std::atoi(initials_.c_str() + at + name.size() + 1);
    const int made = program_.location(locations_.emplace(name, 0).first->first.c_str(), initial);
    return locations_[name] = made;
  }
  int barrier_of(std::size_t t, const std::string& name) {
    const std::string whole = name + '@' + std::to_string(positions_[t].cta) + ',' + std::to_string(positions_[t].gpu);
    const auto [found, is_new] = barriers_.emplace(whole, 0);
    if (is_new) found->second = program_.barrier(0);
    return found->second;
  }

  static order order_of(const std::string& operation) {
    order how;
    for (const std::string_view part : split(operation, '.')) {
      static constexpr std::pair<std::string_view, semantics> all[] = {{"relaxed", semantics::relaxed},
                                                                       {"acquire", semantics::acquire},
                                                                       {"release", semantics::release},
                                                                       {"acq_rel", semantics::acq_rel},
                                                                       {"sc", semantics::sc}};
      static constexpr std::pair<std::string_view, scope> scopes[] = {
          {"cta", scope::cta}, {"cluster", scope::cluster}, {"gpu", scope::gpu}, {"sys", scope::sys}};
      for (const auto& [name, what] : all)
        if (part == name) how.what = what;
      for (const auto& [name, where] : scopes)
        if (part == name) how.where = where;
    }
    return how;
  }
  /// Runs a column of operations. A loop ends after a few rounds.
  void execute(thread& own, const std::vector<words>& code, std::size_t t) {
    std::map<std::string, value> registers;
    const auto operand = [&](const std::string& word) {
      return word[0] == 'r' ? registers[word] : value(std::atoi(word.c_str()));
    };
    int steps = 0;
    for (std::size_t at = 0; at < code.size(); ++at) {
      if (++steps > 24) own.give_up();
      const words& now = code[at];
      const std::string& operation = now[0];
      const order how = order_of(operation);
      const bool returns = operation.starts_with("atom");
      if (operation.ends_with(':')) continue;
      if (operation == "goto" || operation == "beq" || operation == "bne") {
        if (operation != "goto" && bool(operand(now[1]) == operand(now[2])) != (operation == "beq")) continue;
        at = static_cast<std::size_t>(std::ranges::find(code, words{now.back() + ':'}) - code.begin());
      } else if (operation.starts_with("ld")) {
        registers[now[1]] = is_location(now[2]) ? own.read(locations_.at(now[2]), how) : operand(now[2]);
      } else if (operation == "add") {
        registers[now[1]] = operand(now[2]) + operand(now[3]);
      } else if (operation.starts_with("st")) {
        own.write(locations_.at(now[1]), operand(now[2]), how);
      } else if (operation.starts_with("fence")) {
        own.fence(how);
      } else if (operation.starts_with("bar")) {
        const int barrier = barrier_of(t, now.back());
        own.arrive(barrier);
        if (operation.ends_with("sync")) own.wait(barrier);
      } else if (returns || operation.starts_with("red")) {
        const std::size_t first = returns ? 2 : 1;
        const value with = operand(now[first + 1]);
        const int location = locations_.at(now[first]);
        if (operation.ends_with("cas")) {  // a failed one reads only
          const value before = own.read(location, how);
          if (before == with) own.pair_with(location, operand(now[first + 2]), how);
          registers[now[1]] = before;
          continue;
        }
        const auto update = [&](const value& old) {
          return operation.ends_with("exch") ? with : operation.ends_with("sub") ? old - with : old + with;
        };
        if (returns) registers[now[1]] = own.modify(location, how, update);
        else own.reduce(location, how, update);
      } else throw std::invalid_argument("unknown operation " + operation);
    }
    for (const auto& [name, is] : registers) {
      const auto kept = all_names_.insert(names_[t] + ':' + name).first;
      own.result(kept->c_str(), is);
    }
  }

  // The condition, by recursive descent: or, and, brackets, comparisons.
  bool is_true(const outcome& own) {
    bool any = all_true(own);
    while (take("\\/")) any = all_true(own) | any;
    return any;
  }
  bool all_true(const outcome& own) {
    bool all = one_true(own);
    while (take("/\\")) all = one_true(own) & all;
    return all;
  }
  bool one_true(const outcome& own) {
    if (take("(")) {
      const bool all = is_true(own);
      take(")");
      return all;
    }
    const std::string left = word();
    const bool differs = take("!=");
    if (!differs && !take("==")) take("=");
    const std::string right = word();
    const int wanted = right.find(':') == right.npos ? std::atoi(right.c_str()) : result(own, right);
    if (left.find(':') != left.npos) return (result(own, left) == wanted) != differs;
    return own.leaves(locations_.at(left), wanted) != differs;
  }
  static int result(const outcome& own, const std::string& name) {
    return own.result(name[0] == 'P' ? name : 'P' + name);
  }
  bool take(std::string_view token) {
    rest_ = trim(rest_);
    if (!rest_.starts_with(token)) return false;
    rest_.remove_prefix(token.size());
    return true;
  }
  std::string word() {
    rest_ = trim(rest_);
    std::string own;
    while (!rest_.empty() &&
           (std::isalnum(static_cast<unsigned char>(rest_[0])) || rest_[0] == ':' || rest_[0] == '_')) {
      own += rest_[0], rest_.remove_prefix(1);
      if (own.ends_with(':')) rest_ = trim(rest_);
    }
    return own;
  }

  program program_;
  std::vector<std::string> names_;
  std::vector<position> positions_;
  std::vector<std::vector<words>> columns_;
  std::map<std::string, int> locations_, barriers_;
  std::map<int, int> barrier_users_;
  std::string condition_, initials_;
  std::string_view rest_;
  std::set<std::string> all_names_;
};

}  // namespace memory_model
