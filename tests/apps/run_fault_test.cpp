// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
//
// Failures of `limber run`: each time one clear message, and a recording with the data so far.
#include <fmt/format.h>
#include <sys/mount.h>

#include <cmath>
#include <random>

#include "apps/process.hpp"
#include "support/recorded.hpp"

namespace limber::test {
namespace {

// 20001 records of about 700 bytes, in a fraction of a second.
const std::string kMany = "solver: {method: rk4, step: 1e-4}\nduration: 2\nrecord: {every: 1e-4}\n";
// Longer than any timeout.
const std::string kEndless = "solver: {method: rk4, step: 1e-3}\nduration: 100000\nrecord: {every: 0.1}\n";

std::string last_line(const std::string& text) {
  const std::string body = text.substr(0, text.find_last_not_of('\n') + 1);
  return body.substr(body.find_last_of('\n') + 1);
}

// All lines except warnings.
std::string without_warnings(const std::string& text) {
  std::string out, line;
  for (std::istringstream all(text); std::getline(all, line);)
    if (!line.starts_with("warning: ")) out += line + "\n";
  return out;
}

bool is_one_line(const std::string& text) { return !text.empty() && text.find('\n') == text.size() - 1; }

// The datasets of a recording.
using Numbers = std::map<std::string, std::vector<double>>;

Numbers read_numbers(const std::string& path) {
  const Recorded file(path);
  Numbers out;
  for (const std::string& name : file.datasets()) out[name] = file.numbers(name);
  return out;
}

// Every row up to the end of `time` is bitwise that of the whole run; returns the number of rows.
std::size_t check_beginning(const Numbers& part, const Numbers& whole) {
  const std::size_t rows = part.at("time").size(), all = whole.at("time").size();
  EXPECT_EQ(part.size(), whole.size());
  for (const auto& [name, numbers] : whole) {
    const std::vector<double>& got = part.at(name);
    const std::size_t width = numbers.size() / all;
    EXPECT_GE(got.size(), rows * width) << name;
    EXPECT_TRUE(std::equal(got.begin(), got.begin() + static_cast<long>(rows * width), numbers.begin())) << name;
  }
  return rows;
}

TEST(RunFault, KilledAtAnyMomentLeavesWhatWasHandedOn) {
  const Folder folder;
  const std::string scenario = folder.write("swing.yaml", swing(kMany)), path = folder.file("a.h5");
  const auto begin = std::chrono::steady_clock::now();
  ASSERT_EQ(limber({"run", scenario, "-o", path, "-q"}).code, 0);
  const double wall = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  const Numbers whole = read_numbers(path);
  ASSERT_EQ(whole.at("time").size(), 20001u);
  std::filesystem::remove(path);

  std::mt19937 random(1);
  int inside = 0;
  for (int k = 0; k < 30 || (inside < 10 && k < 300); ++k) {  // more if run times vary
    Process process({"run", scenario, "-o", path, "-q", "--flush", "0"});
    usleep(static_cast<useconds_t>(1e6 * wall * std::uniform_real_distribution<>(0, 1.2)(random)));
    process.signal(SIGKILL);
    process.wait();
    if (!std::filesystem::exists(path)) continue;  // before the first record
    const std::size_t rows = check_beginning(read_numbers(path), whole);
    EXPECT_GE(rows, 1u);
    const Recorded file(path);
    EXPECT_EQ(file.number("/", "complete"), file.text("/", "ended") == "finished" ? 1 : 0);
    EXPECT_EQ(file.text("/", "scenario"), swing(kMany));
    inside += rows > 1 && rows < 20001 ? 1 : 0;
    std::filesystem::remove(path);
  }
  EXPECT_GE(inside, 10);
}

// Starts an endless run, and waits until it has records, which are read concurrently.
hsize_t wait_for_records(Process& process, const std::string& path) {
  hsize_t rows = 0;
  const bool good = eventually([&] {
    if (!process.running()) return false;
    if (std::filesystem::exists(path)) rows = Recorded(path).rows("time");
    return rows > 2;
  });
  EXPECT_TRUE(good) << process.wait().err;
  return rows;
}

TEST(RunFault, CtrlCStopsInOrder) {
  for (const int number : {SIGINT, SIGTERM, SIGHUP}) {
    const Folder folder;
    const std::string path = folder.file("a.h5");
    Process process({"run", folder.write("swing.yaml", swing(kEndless)), "-o", path, "--flush", "0.01"});
    const hsize_t seen = wait_for_records(process, path);
    process.signal(number);
    const Result result = process.wait();
    EXPECT_EQ(result.code, 1);
    EXPECT_TRUE(contains(result.out, "interrupted")) << result.out;
    EXPECT_TRUE(contains(result.out, "records")) << result.out;
    EXPECT_TRUE(is_one_line(without_warnings(result.err))) << result.err;
    EXPECT_TRUE(contains(last_line(result.err), "interrupted at t = ")) << result.err;
    const Recorded file(path);
    EXPECT_EQ(file.text("/", "ended"), "interrupted");
    EXPECT_EQ(file.number("/", "complete"), 0);
    EXPECT_GE(file.rows("time"), seen);
    for (const std::string& name : file.datasets()) EXPECT_EQ(file.rows(name), file.rows("time")) << name;
  }
}

// A small file system, for root; empty path: none.
class SmallDisk {
 public:
  explicit SmallDisk(const std::string& size) {
    const std::string options = "size=" + size;
    mounted_ = mkdir(path().c_str(), 0700) == 0 &&
               mount("tmpfs", path().c_str(), "tmpfs", MS_NOSUID | MS_NODEV, options.c_str()) == 0;
  }
  ~SmallDisk() {
    if (mounted_) umount2(path().c_str(), MNT_DETACH);
  }
  SmallDisk(const SmallDisk&) = delete;
  SmallDisk& operator=(const SmallDisk&) = delete;
  bool mounted() const { return mounted_; }
  std::string path() const { return folder_.file("disk"); }

 private:
  Folder folder_;
  bool mounted_ = false;
};

TEST(RunFault, FullDiskKeepsWhatFits) {
  const Folder folder;
  const std::string scenario = folder.write("swing.yaml", swing(kMany)), whole = folder.file("whole.h5");
  ASSERT_EQ(limber({"run", scenario, "-o", whole, "-q"}).code, 0);
  for (const char* size : {"4k", "32k", "1m", "4m"}) {
    const SmallDisk disk(size);
    if (!disk.mounted()) GTEST_SKIP() << "only root may mount a small disk";
    const std::string path = disk.path() + "/a.h5";
    const Result refused = limber({"run", scenario, "-o", path});
    EXPECT_TRUE(refused.is_one_error_line()) << refused.out << refused.err;
    EXPECT_TRUE(contains(refused.err, "a.h5: needs 0.01") && contains(refused.err, "--force")) << refused.err;
    EXPECT_TRUE(std::filesystem::is_empty(disk.path()));
    Process process({"run", scenario, "-o", path, "--flush", "0.001", "--force"});
    ASSERT_TRUE(eventually([&] { return !process.running(); })) << "hangs";
    const Result result = process.wait();
    EXPECT_TRUE(result.is_one_error_line()) << result.out << result.err;
    EXPECT_TRUE(contains(result.err, "a.h5: cannot be written: No space left on device")) << result.err;
    const bool large = size[1] == 'm';
    EXPECT_EQ(std::filesystem::exists(path), large) << size;
    const auto left = std::filesystem::directory_iterator(disk.path());
    EXPECT_EQ(std::distance(begin(left), end(left)), large ? 1 : 0);
    if (!large) continue;
    // The number of rows that fit depends on the time of the last flush; the message has the time of the last row.
    const Numbers kept = read_numbers(path);
    ASSERT_GE(check_beginning(kept, read_numbers(whole)), 1u);
    EXPECT_TRUE(contains(result.err, fmt::format("holds everything up to t = {:.6g}\n", kept.at("time").back())))
        << result.err << kept.at("time").back();
    EXPECT_TRUE(Recorded(path).text("/", "ended").starts_with("failed: No space left")) << size;
  }
}

// The last piece alone is lost, however seldom the file is written.
TEST(RunFault, FullDiskKeepsMostOfItselfByDefault) {
  const Folder folder;
  const std::string scenario = folder.write("swing.yaml", swing(kMany));
  const SmallDisk disk("3m");
  if (!disk.mounted()) GTEST_SKIP() << "only root may mount a small disk";
  const std::string path = disk.path() + "/a.h5";
  const Result result = limber({"run", scenario, "-o", path, "--force", "--flush", "1000"});
  EXPECT_TRUE(result.is_one_error_line()) << result.out << result.err;
  const Numbers kept = read_numbers(path);
  double numbers = 0;
  for (const auto& [name, values] : kept) numbers += static_cast<double>(values.size());
  EXPECT_GT(numbers * sizeof(double), 0.75 * (3 << 20));
}

TEST(RunFault, FullDiskOfTheTable) {
  const Folder folder;
  const std::string scenario = folder.write("swing.yaml", swing(kMany));
  const SmallDisk disk("256k");
  if (!disk.mounted()) GTEST_SKIP() << "only root may mount a small disk";
  const std::vector<std::string> command = {
      "run", scenario, "-o", folder.file("a.h5"), "--csv", disk.path() + "/a.csv"};
  const Result refused = limber(command);
  EXPECT_TRUE(contains(refused.err, "a.csv: needs ") && contains(refused.err, "--force")) << refused.err;
  std::vector<std::string> forced = command;
  forced.push_back("--force");
  const Result result = limber(forced);
  EXPECT_TRUE(result.is_one_error_line()) << result.out << result.err;
  EXPECT_TRUE(contains(result.err, "a.csv: cannot be written: No space left")) << result.err;
  const Recorded file(folder.file("a.h5"));
  EXPECT_TRUE(file.text("/", "ended").starts_with("failed: ")) << file.text("/", "ended");
  EXPECT_GT(file.rows("time"), 10u);
}

// The file size limit of a shell, `ulimit -f`: smaller than the initial recording, and smaller than the final table.
TEST(RunFault, LimitOfFileSizes) {
  const Folder folder;
  const std::string scenario = folder.write("swing.yaml", swing(kMany));
  Process first({"run", scenario, "-o", folder.file("a.h5")}, {.file_limit = 100'000});
  ASSERT_TRUE(eventually([&] { return !first.running(); })) << "hangs";
  const Result result = first.wait();
  EXPECT_TRUE(result.is_one_error_line()) << result.code << result.out << result.err;
  EXPECT_TRUE(contains(result.err, "a.h5: cannot be written: File too large")) << result.err;
  EXPECT_FALSE(std::filesystem::exists(folder.file("a.h5")));

  const std::string few = folder.write("few.yaml", swing("duration: 1\nrecord: {every: 5e-3, nodes: [upper.tip]}\n"));
  Process second({"run", few, "-o", folder.file("b.h5"), "--csv", folder.file("b.csv")}, {.file_limit = 150'000});
  const Result good = second.wait();
  EXPECT_EQ(good.code, 0) << good.err;
  const Result table =
      Process({"run", few, "-o", folder.file("b.h5"), "--csv", folder.file("b.csv")}, {.file_limit = 40'000}).wait();
  EXPECT_TRUE(table.is_one_error_line()) << table.code << table.out << table.err;
  EXPECT_TRUE(contains(table.err, "cannot be written: File too large")) << table.err;
}

TEST(RunFault, OutputsThatCannotBe) {
  const Folder folder;
  const std::string scenario = folder.write("swing.yaml", swing("duration: 0.1\n"));
  const std::string notes = folder.write("notes.txt", "keep me");
  struct Bad {
    std::vector<std::string> arguments;
    std::string part;
  };
  const Bad bad[] = {
      {{"-o", folder.file("none/a.h5")}, "does not exist"},
      {{"-o", folder.file("")}, "is a directory"},
      {{"-o", notes}, "is not a recording"},
      {{"-o", scenario}, "would overwrite"},
      {{"-o", "/proc/a.h5"}, "cannot be written"},
      {{"-o", "/dev/full"}, "not a plain file"},
      {{"-o", folder.file("a.h5"), "--csv", notes}, "is not a table"},
      {{"-o", folder.file("a.h5"), "--csv", scenario}, "would overwrite"},
      {{"-o", folder.file("a.h5"), "--csv", folder.file("a.h5")}, "is the recording"},
      {{"-o", folder.file("a.h5"), "--flush", "-1"}, "--flush"},
      {{"-o", folder.file("a.h5"), "--flush", "soon"}, "--flush"},
  };
  for (const Bad& entry : bad) {
    std::vector<std::string> arguments = {"run", scenario};
    arguments.insert(arguments.end(), entry.arguments.begin(), entry.arguments.end());
    const Result result = limber(arguments);
    EXPECT_TRUE(result.is_one_error_line()) << result.out << result.err;
    EXPECT_TRUE(contains(result.err, entry.part)) << result.err;
    EXPECT_EQ(folder.names(), (std::vector<std::string>{"notes.txt", "swing.yaml"}));
  }
  EXPECT_EQ(read_all(notes), "keep me");
  EXPECT_EQ(read_all(scenario), swing("duration: 0.1\n"));
}

TEST(RunFault, FolderWithoutPermission) {
  if (geteuid() == 0) GTEST_SKIP() << "root may write everywhere";
  const Folder folder;
  std::filesystem::create_directory(folder.file("locked"));
  std::filesystem::permissions(folder.file("locked"), std::filesystem::perms::owner_read);
  const Result result =
      limber({"run", folder.write("swing.yaml", swing("duration: 0.1\n")), "-o", folder.file("locked/a.h5")});
  EXPECT_TRUE(result.is_one_error_line()) << result.out << result.err;
  EXPECT_TRUE(contains(result.err, "Permission denied")) << result.err;
}

// Whatever the failure, its time is reported and the recording has the rows before.
void expect_trouble(const std::string& text, const std::vector<std::string>& parts, double after) {
  const Folder folder;
  const std::string path = folder.file("a.h5");
  Process process({"run", folder.write("failure.yaml", text), "-o", path});
  ASSERT_TRUE(eventually([&] { return !process.running(); })) << "hangs";
  const Result result = process.wait();
  EXPECT_EQ(result.code, 1);
  EXPECT_TRUE(is_one_line(without_warnings(result.err))) << result.err;
  EXPECT_TRUE(contains(last_line(result.err), "t = ")) << result.err;
  for (const std::string& part : parts) EXPECT_TRUE(contains(last_line(result.err), part)) << result.err;
  EXPECT_TRUE(contains(result.out, "diverged")) << result.out;
  const Recorded file(path);
  EXPECT_EQ(file.number("/", "complete"), 0);
  EXPECT_TRUE(file.text("/", "ended").starts_with("diverged: ")) << file.text("/", "ended");
  EXPECT_GE(file.numbers("time").back(), after);
  for (const std::string& name : file.datasets()) {
    const std::vector<double> numbers = file.numbers(name);
    EXPECT_TRUE(std::all_of(numbers.begin(), numbers.end(), [](double x) { return std::isfinite(x); })) << name;
    EXPECT_EQ(file.rows(name), file.rows("time")) << name;
  }
}

TEST(RunFault, InputThatIsNotANumberFromSomeTimeOn) {
  for (const char* solver : {"{method: rk4, step: 1e-3}", "{method: dopri5}", "{method: implicit, step: 1e-3}"}) {
    expect_trouble(swing(fmt::format("inputs: [{{joint: shoulder, torque: 'sqrt(0.5 - t)'}}]\nsolver: {}\nduration: 1\n"
                                     "record: {{every: 0.01}}\n",
                                     solver)),
                   {"a.h5 holds the records up to there", "0.5"}, 0.45);
  }
}

TEST(RunFault, InputThatIsNotANumberAtOnce) {
  const Folder folder;
  const Result result =
      limber({"run", folder.write("a.yaml", swing("inputs: [{joint: shoulder, torque: 'log(t - 1)'}]\nduration: 1\n")),
              "-o", folder.file("a.h5")});
  EXPECT_EQ(result.code, 1);
  EXPECT_TRUE(is_one_line(without_warnings(result.err))) << result.err;
}

TEST(RunFault, ExplicitMethodWithTooLongAStep) {
  expect_trouble(swing("solver: {method: rk4, step: 0.05}\nduration: 100\nrecord: {every: 0.05}\n"), {"'"}, 0);
}

// A beam above its critical speed: its deflection grows like exp(t).
TEST(RunFault, SpinBeyondTheFirstFrequency) {
  expect_trouble(R"(limber: 1
scenario: spin
model:
  limber: 1
  bodies: [{name: boom, beam: {length: 10, mass: 12, EIy: 14000, EIz: 14000, modes: {bending_y: 2}}}]
  joints: [{name: drive, type: revolute, axis: [0, 0, 1], parent: world, child: boom}]
initial: {boom: {eta: [0.001, 0]}}
inputs: [{joint: drive, motion: 8*t}]
solver: {method: rk4, step: 1e-3}
duration: 1e5
record: {every: 0.1}
)",
                 {"boom"}, 1);
}

TEST(RunFault, BrokenScenarios) {
  const Folder folder;
  struct Bad {
    std::string text, part;
  };
  const Bad bad[] = {
      {"", "yaml"},
      {"limber: 1\nscenario: x\n", "model"},
      {swing("duration: -1\n"), "duration"},
      {swing("duration: 1\nsolver: {method: euler}\n"), "euler"},
      {swing("duration: 1\ninputs: [{joint: knee, torque: 1}]\n"), "knee"},
      {swing("duration: 1\ninputs: [{joint: elbow, torque: 'sin('}]\n"), "inputs"},
      {swing("duration: 1\nrecord: {every: 0}\n"), "every"},
      {swing("duratoin: 1\n"), "duratoin"},
      {R"(limber: 1
scenario: x
model:
  bodies: [{name: rod, rigid: {mass: 1, inertia: [1, 1, 1, 0, 0, 0]}, nodes: [{name: tip, position: [1, 0, 0]}]},
           {name: far, rigid: {mass: 1, inertia: [1, 1, 1, 0, 0, 0]}}]
  joints: [{name: a, type: revolute, axis: [0, 0, 1], parent: world, child: rod},
           {name: b, type: revolute, axis: [0, 0, 1], parent: world, child: far, origin: {xyz: [5, 0, 0]}}]
  closures: [{name: gap, type: spherical, a: rod.tip, b: far}]
duration: 1
)",
       "closure 'gap' cannot be satisfied"},
  };
  for (const Bad& entry : bad) {
    const Result result = limber({"run", folder.write("bad.yaml", entry.text), "-o", folder.file("a.h5")});
    EXPECT_TRUE(result.is_one_error_line()) << entry.text << result.out << result.err;
    EXPECT_TRUE(contains(result.err, entry.part)) << result.err;
    EXPECT_FALSE(std::filesystem::exists(folder.file("a.h5")));
  }
  EXPECT_TRUE(limber({"run", folder.file("none.yaml")}).is_one_error_line());
  EXPECT_TRUE(limber({"run"}).is_one_error_line());
}

}  // namespace
}  // namespace limber::test
