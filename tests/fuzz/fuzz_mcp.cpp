// Any lines as requests of an agent: an answer is one line of JSON that says a result or an error,
// never both, and questions of the tools end.

#include "fuzz/DamagedDatabase.h"

#include "app/cli/mcp/Server.h"

#include <condition_variable>
#include <mutex>

using namespace trainscope;

namespace {

void check(const std::string& answer) {
    const auto json = nlohmann::json::parse(answer, nullptr, false);
    if (answer.find('\n') != answer.npos || json.is_discarded())
        std::abort();
    for (const auto& one : json.is_array() ? json : nlohmann::json::array({json})) {
        if (one["jsonrpc"] != "2.0" || one.contains("result") == one.contains("error"))
            std::abort();
        if (one.contains("error") && one["error"]["message"].get<std::string>().empty())
            std::abort();
    }
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    static const auto& path = [] {
        static fuzz::DatabaseFile file("mcp.trainscope");
        file.write(fuzz::soundDatabase());
        return file.path();
    }();
    // A question in SQL may go on for ever.
    const auto briefly = [](const nlohmann::json&) -> cli::Watch {
        return [](const std::stop_token& stop, std::atomic<bool>& cancelled) {
            std::mutex mutex;
            std::unique_lock lock(mutex);
            std::condition_variable_any over;
            over.wait_for(lock, stop, std::chrono::seconds(1), [] { return false; });
            cancelled = true;
        };
    };
    static const cli::Program kProgram; // without what draws
    cli::Server server(cli::Tools(kProgram, path, false), briefly);
    // The first byte says whether a session was begun.
    if (size > 0 && data[0] % 2 == 0)
        check(server.answer(
            R"({"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-06-18"}})"));
    std::string_view rest(reinterpret_cast<const char*>(data), size);
    rest.remove_prefix(std::min<std::size_t>(rest.size(), 1));
    while (!rest.empty()) {
        const std::string_view line = rest.substr(0, rest.find('\n'));
        rest.remove_prefix(std::min(rest.size(), line.size() + 1));
        if (const std::string answer = server.answer(line); !answer.empty())
            check(answer);
    }
    return 0;
}
