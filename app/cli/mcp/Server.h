#pragma once
// Answers of the Model Context Protocol, one line for one line. Two forms of it
// (https://modelcontextprotocol.io/specification/2026-07-28/basic/versioning): requests that carry
// their version in `_meta`, each for itself, and those behind an `initialize`, revisions 2024-11-05
// to 2025-11-25.

#include "app/cli/mcp/Tools.h"

namespace trainscope::cli {

inline constexpr std::size_t kLongestRequest = std::size_t{1} << 20; // bytes of a line

class Server {
public:
    // A watch beside the request of that id.
    using WatchOf = std::function<Watch(const nlohmann::json& id)>;

    explicit Server(Tools tools, WatchOf watchOf = {})
        : m_tools(std::move(tools))
        , m_watchOf(std::move(watchOf)) { }

    // A line without its end, of any bytes; empty: nothing is to be said.
    [[nodiscard]] std::string answer(std::string_view line);

private:
    struct Failure {
        int code = 0;
        std::string message;
        Json data = {};
    };
    using Reply = std::variant<Json, Failure>;

    [[nodiscard]] std::optional<Json> respond(const nlohmann::json& message);
    [[nodiscard]] Reply replyTo(const std::string& method, const nlohmann::json& params,
        const nlohmann::json& id, bool isModern);
    [[nodiscard]] Reply call(const nlohmann::json& params, const nlohmann::json& id) const;

    Tools m_tools;
    WatchOf m_watchOf;
    bool m_isInitialised = false; // by a client of an older revision
};

} // namespace trainscope::cli
