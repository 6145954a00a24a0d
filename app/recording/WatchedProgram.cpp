#include "app/recording/WatchedProgram.h"

#include "core/model/Gather.h"

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <sstream>
#include <system_error>

namespace trainscope::app {

namespace {

constexpr std::array kPassedOn{SIGINT, SIGTERM, SIGHUP, SIGUSR1, SIGUSR2};
constexpr int kSignalled = 128; // and its number: as shells tell it

std::vector<char*> pointersTo(std::vector<std::string>& texts) {
    std::vector<char*> pointers = vectorOf(texts, [](std::string& text) { return text.data(); });
    pointers.push_back(nullptr);
    return pointers;
}

std::vector<std::string> environmentWith(
    const std::vector<std::pair<std::string, std::string>>& variables) {
    std::vector<std::string> all;
    for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
        const std::string_view text = *entry;
        bool isReplaced = false;
        for (const auto& [name, value] : variables)
            isReplaced |= text.starts_with(name + "=");
        if (!isReplaced)
            all.emplace_back(text);
    }
    for (const auto& [name, value] : variables)
        all.push_back(name + "=" + value);
    return all;
}

// The command has the signals as this program once had them.
int spawn(const std::vector<std::string>& command, std::vector<std::string> environment,
    const std::vector<int>& inherited, pid_t& process) {
    posix_spawnattr_t attributes;
    posix_spawn_file_actions_t files;
    posix_spawnattr_init(&attributes);
    posix_spawn_file_actions_init(&files);
    sigset_t usual;
    sigemptyset(&usual);
    for (const int signal : kPassedOn)
        sigaddset(&usual, signal);
    sigaddset(&usual, SIGPIPE);
    sigaddset(&usual, SIGALRM);
    posix_spawnattr_setsigdefault(&attributes, &usual);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF);
    for (const int file : inherited)
        posix_spawn_file_actions_adddup2(&files, file, file); // takes close-on-exec away
    std::vector<std::string> words = command;
    const int problem = ::posix_spawnp(&process, words.front().c_str(), &files, &attributes,
        pointersTo(words).data(), pointersTo(environment).data());
    posix_spawn_file_actions_destroy(&files);
    posix_spawnattr_destroy(&attributes);
    return problem;
}

Error notRun(const std::string& name, int problem) {
    return {ErrorCode::NotFound,
        std::string("The command cannot be run: ") + std::strerror(problem) + ".", name};
}

// Signals come in anywhere.
std::array<int, 2> signalPipe{-1, -1};

extern "C" void onSignal(int signal) {
    const auto number = static_cast<char>(signal);
    // A full pipe has signals enough in it.
    [[maybe_unused]] const auto written = ::write(signalPipe[1], &number, 1);
}

} // namespace

SignalPipe::SignalPipe(std::vector<int> signals)
    : m_signals(std::move(signals))
    , m_before(m_signals.size()) {
    if (::pipe2(signalPipe.data(), O_CLOEXEC | O_NONBLOCK) != 0)
        m_signals.clear(); // they do what they did
    struct sigaction action { };
    action.sa_handler = onSignal;
    action.sa_flags = SA_RESTART;
    for (std::size_t i = 0; i < m_signals.size(); ++i)
        ::sigaction(m_signals[i], &action, &m_before[i]);
}

SignalPipe::~SignalPipe() {
    for (std::size_t i = 0; i < m_signals.size(); ++i)
        ::sigaction(m_signals[i], &m_before[i], nullptr);
    for (int& end : signalPipe) {
        ::close(end);
        end = -1;
    }
}

int SignalPipe::descriptor() const {
    return signalPipe[0];
}

bool UntilSignalled::wait(std::chrono::milliseconds period) {
    pollfd watched{m_asked.descriptor(), POLLIN, 0};
    // The signal stays in the pipe, so that the answer stays.
    return ::poll(&watched, 1, static_cast<int>(period.count())) > 0;
}

Status WatchedProgram::checkThere(const std::vector<std::string>& command) {
    if (command.empty())
        return usageError("There is no command to be run.");
    const std::string& name = command.front();
    const char* path = std::getenv("PATH"); // NOLINT(concurrency-mt-unsafe)
    const bool isSearched = name.find('/') == std::string::npos;
    if (isSearched && path == nullptr)
        return {}; // the system then searches a path of its own
    std::vector<std::filesystem::path> places{name};
    if (isSearched) {
        places.clear();
        std::istringstream folders(path);
        for (std::string folder; std::getline(folders, folder, ':');)
            places.push_back(std::filesystem::path(folder) / name);
    }
    int problem = ENOENT;
    for (const auto& place : places) {
        std::error_code ignored; // a missing file is no error
        if (::access(place.c_str(), X_OK) == 0 && !std::filesystem::is_directory(place, ignored))
            return {};
        if (errno != ENOENT && errno != ENOTDIR)
            problem = errno;
    }
    return notRun(name, problem);
}

Result<WatchedProgram> WatchedProgram::start(const std::vector<std::string>& command,
    const std::vector<std::pair<std::string, std::string>>& variables,
    const std::vector<int>& inherited) {
    if (command.empty())
        return usageError("There is no command to be run.");
    auto signals
        = std::make_unique<SignalPipe>(std::vector<int>(kPassedOn.begin(), kPassedOn.end()));
    pid_t process = 0;
    if (const int problem = spawn(command, environmentWith(variables), inherited, process))
        return notRun(command.front(), problem);
    return WatchedProgram(
        process, static_cast<int>(::syscall(SYS_pidfd_open, process, 0)), std::move(signals));
}

WatchedProgram::WatchedProgram(WatchedProgram&& other) noexcept
    : m_process(std::exchange(other.m_process, 0))
    , m_handle(std::exchange(other.m_handle, -1))
    , m_signals(std::move(other.m_signals))
    , m_exitStatus(other.m_exitStatus) { }

WatchedProgram::~WatchedProgram() {
    if (m_process == 0)
        return;
    while (!m_exitStatus)
        wait(std::chrono::seconds(1), -1);
    if (m_handle >= 0)
        ::close(m_handle);
}

void WatchedProgram::wait(std::chrono::milliseconds period, int file) {
    // Without a handle for processes (Linux before 5.3) it is asked often enough.
    constexpr std::chrono::milliseconds often{50};
    std::array<pollfd, 3> watched{pollfd{m_handle, POLLIN, 0},
        pollfd{m_signals->descriptor(), POLLIN, 0}, pollfd{file, POLLIN, 0}};
    const auto longest = m_handle < 0 ? std::min(period, often) : period;
    // Woken by a signal it returns early, and nobody minds.
    (void)::poll(watched.data(), watched.size(), static_cast<int>(longest.count()));
    char signal = 0;
    while (::read(m_signals->descriptor(), &signal, 1) == 1) {
        if (!m_exitStatus)
            ::kill(m_process, signal);
    }
    takeStatus();
}

void WatchedProgram::takeStatus() {
    int status = 0;
    if (m_exitStatus || ::waitpid(m_process, &status, WNOHANG) != m_process)
        return;
    m_exitStatus = WIFSIGNALED(status) ? kSignalled + WTERMSIG(status) : WEXITSTATUS(status);
}

} // namespace trainscope::app
