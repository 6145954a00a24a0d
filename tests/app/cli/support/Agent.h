#pragma once
// An agent that asks the tools inside the test, in the stateless form of the protocol, and counts
// its calls, and bytes / 4 as its tokens.

#include "app/cli/mcp/Server.h"
#include "app/drawing/FullProgram.h"
#include "support/Content.h"

#include <QtGlobal>

namespace trainscope::test {

using nlohmann::json;

inline constexpr const char* kEndless
    = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n";

inline json metaOfAgent() {
    return {{"io.modelcontextprotocol/protocolVersion", "2026-07-28"},
        {"io.modelcontextprotocol/clientInfo", {{"name", "test"}, {"version", "1"}}},
        {"io.modelcontextprotocol/clientCapabilities", json::object()}};
}

class Agent {
public:
    explicit Agent(std::string database, bool mayWrite = false)
        : m_server(cli::Tools(cli::fullProgram(), std::move(database), mayWrite)) { }

    // The whole answer; null: there is none.
    json send(const json& message) { return answered(message.dump()); }
    json answered(const std::string& line) {
        const std::string answer = m_server.answer(line);
        return answer.empty() ? json() : json::parse(answer);
    }
    json request(const std::string& method, json params = json::object()) {
        params["_meta"] = metaOfAgent();
        return send({{"jsonrpc", "2.0"}, {"id", ++m_id}, {"method", method}, {"params", params}});
    }
    json call(const std::string& tool, const json& arguments = json::object()) {
        const json answer = request("tools/call", {{"name", tool}, {"arguments", arguments}});
        const json result = answer.value("result", json());
        ++calls;
        for (const json& one : result.value("content", json::array()))
            tokens += one.value("text", "").size() / 4;
        return result;
    }
    // Its text, also of an error.
    std::string textOf(const std::string& tool, const json& arguments = json::object()) {
        const json result = call(tool, arguments);
        return result.is_null() ? "no result" : result["content"][0].value("text", "no text");
    }
    std::string ask(const std::string& tool, const json& arguments = json::object()) {
        const json result = call(tool, arguments);
        const std::string text = result.is_null() ? "" : result["content"][0].value("text", "");
        if (result.is_null() || result.value("isError", true))
            qWarning("%s: %s", tool.c_str(), text.c_str());
        return text;
    }

    int calls = 0;
    std::size_t tokens = 0;

private:
    cli::Server m_server;
    int m_id = 0;
};

} // namespace trainscope::test
