#include "app/cli/commands/Command.h"
#include "app/cli/mcp/Server.h"

#include <cerrno>
#include <chrono>
#include <deque>
#include <thread>

#include <poll.h>
#include <unistd.h>

namespace trainscope::cli {

namespace {

using Seconds = std::chrono::duration<double>;

constexpr std::size_t kMostQueued = 8 * kLongestRequest; // bytes; more wait in the pipe
constexpr int kGlanceMs = 5;

// Says that nobody waits any more for the request of that id.
bool cancels(const std::string& line, const nlohmann::json& id) {
    if (line.size() > kLongestRequest || line.find("notifications/cancelled") == line.npos)
        return false;
    const auto message = nlohmann::json::parse(line, nullptr, false);
    static const nlohmann::json::json_pointer kId("/params/requestId");
    return message.is_object() && message.contains(kId) && message.at(kId) == id
        && !message.contains("id");
}

// Lines of standard input, read one by one, or while something else is being done. For one thread
// at a time.
class Inbox {
public:
    // Waits; absent: no more will come. One that is too long is cut, and still too long.
    std::optional<std::string> next() {
        m_wasCancelled = false;
        while (m_lines.empty() && canRead())
            read(-1);
        if (m_lines.empty())
            return std::nullopt;
        std::string line = std::move(m_lines.front());
        m_lines.pop_front();
        m_held -= line.size();
        return line;
    }
    // Reads on until it is stopped, and sets the flag when the request of that id is cancelled, or
    // takes longer than that.
    void watch(const std::stop_token& stop, std::atomic<bool>& cancelled, const nlohmann::json& id,
        Seconds longest) {
        const auto begin = std::chrono::steady_clock::now();
        std::size_t seen = 0;
        while (!stop.stop_requested()) {
            for (; seen < m_lines.size(); ++seen)
                m_wasCancelled = m_wasCancelled || cancels(m_lines[seen], id);
            if (m_wasCancelled || std::chrono::steady_clock::now() - begin > longest)
                cancelled = true;
            if (canRead())
                read(kGlanceMs);
            else
                std::this_thread::sleep_for(std::chrono::milliseconds(kGlanceMs));
        }
    }
    [[nodiscard]] bool wasCancelled() const { return m_wasCancelled; } // the last one

private:
    [[nodiscard]] bool canRead() const { return !m_isEnded && m_held <= kMostQueued; }
    void read(int waitMs) {
        pollfd one{STDIN_FILENO, POLLIN, 0};
        if (::poll(&one, 1, waitMs) <= 0)
            return;
        std::array<char, 65536> block{};
        const ssize_t count = ::read(STDIN_FILENO, block.data(), block.size());
        if (count < 0 && (errno == EINTR || errno == EAGAIN))
            return;
        m_isEnded = count <= 0;
        if (count > 0)
            take({block.data(), static_cast<std::size_t>(count)});
        else if (!m_unfinished.empty())
            take("\n");
    }
    void take(std::string_view bytes) {
        while (!bytes.empty()) {
            const std::size_t end = bytes.find('\n');
            m_unfinished
                += bytes.substr(0, end).substr(0, kLongestRequest + 1 - m_unfinished.size());
            if (end == bytes.npos)
                return;
            m_held += m_unfinished.size();
            m_lines.push_back(std::exchange(m_unfinished, {}));
            bytes.remove_prefix(end + 1);
        }
    }

    bool m_isEnded = false;
    bool m_wasCancelled = false;
    std::string m_unfinished;
    std::deque<std::string> m_lines;
    std::size_t m_held = 0; // bytes of them
};

struct McpOptions {
    std::string database;
    bool mayWrite = false;
    double longestS = 120.0;
};

ExitStatus serve(const McpOptions& options, const Program& program, const Console& console) {
    Inbox inbox;
    Server server(
        Tools(program, options.database, options.mayWrite), [&](const nlohmann::json& id) -> Watch {
            return [&, id](const std::stop_token& stop, std::atomic<bool>& cancelled) {
                inbox.watch(stop, cancelled, id, Seconds(options.longestS));
            };
        });
    for (auto line = inbox.next(); line && console.out(); line = inbox.next()) {
        const std::string answer = server.answer(*line);
        if (!answer.empty() && !inbox.wasCancelled())
            console.out() << answer << '\n' << std::flush;
    }
    return ExitStatus::Done;
}

} // namespace

void addMcpCommand(CLI::App& app, CommandContext& context) {
    const auto [command, options] = addCommand<McpOptions>(
        app, "mcp", "Answer agents: the Model Context Protocol on standard input and output");
    command->add_option(
        "DB", options->database, "The run database; without it every question names one");
    command->add_flag("--write", options->mayWrite,
        "Also offer what keeps comparisons, changed steps and predictions in the database");
    addOption(*command, "--longest", options->longestS,
        "End a question that takes longer; 120 unless given", "S")
        ->check(aboveZero());
    runs(*command, context, options,
        [&program = context.program](const McpOptions& chosen, const Console& console) -> Outcome {
            return serve(chosen, program, console);
        });
}

} // namespace trainscope::cli
