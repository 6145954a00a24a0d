#include "app/cli/mcp/Server.h"

#include "app/cli/text/Base64.h"
#include "app/manual/Manual.h"
#include "core/model/JsonDepth.h"

#include <fmt/format.h>

namespace trainscope::cli {

namespace {

using In = nlohmann::json; // finds keys in the time that many of them need

constexpr std::array kVersions{
    "2026-07-28", "2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"};
constexpr const char* kNewestWithSession = kVersions[1];
constexpr std::size_t kMostInBatch = 32; // only revision 2025-03-26 has batches
constexpr std::int64_t kFreshMs = 3'600'000; // the tools are those of the process
constexpr const char* kVersionKey = "io.modelcontextprotocol/protocolVersion";
constexpr const char* kCapabilitiesKey = "io.modelcontextprotocol/clientCapabilities";
constexpr const char* kServerKey = "io.modelcontextprotocol/serverInfo";

enum Code {
    ParseError = -32700,
    InvalidRequest = -32600,
    NoSuchMethod = -32601,
    InvalidParams = -32602,
    UnsupportedVersion = -32022
};

// The first part of its help.
std::string instructions() {
    const std::string_view help = app::manual::helpOf("mcp");
    return std::string(help.substr(0, help.find("\n\n")));
}

Json serverInfo() {
    return {{"name", "trainscope"}, {"version", TRAINSCOPE_VERSION}};
}

bool isKnown(const In& version) {
    return std::ranges::any_of(kVersions, [&](const char* one) { return version == one; });
}

// The client on itself, in a request of the stateless form; null: in the other form.
const In* metaOf(const In& params) {
    const auto meta = params.find("_meta");
    return meta != params.end() && meta->is_object() && meta->contains(kVersionKey) ? &*meta
                                                                                    : nullptr;
}

Json failed(const In* id, int code, std::string message, const Json& data = {}) {
    Json error{{"code", code}, {"message", std::move(message)}};
    if (!data.is_null())
        error["data"] = data;
    Json json{{"jsonrpc", "2.0"}};
    if (id != nullptr)
        json["id"] = *id;
    json["error"] = std::move(error);
    return json;
}

} // namespace

std::string Server::answer(std::string_view line) {
    if (line.find_first_not_of(" \t\r") == line.npos)
        return {};
    if (line.size() > kLongestRequest)
        return jsonText(failed(nullptr, InvalidRequest,
            fmt::format("A request has at most {} bytes.", kLongestRequest)));
    if (isNestedTooDeep(line))
        return jsonText(failed(nullptr, InvalidRequest,
            fmt::format("A request is nested at most {} levels deep.", kDeepestJson)));
    const In message = In::parse(line, nullptr, false);
    if (message.is_discarded())
        return jsonText(failed(nullptr, ParseError, "The line is no JSON in UTF-8."));
    if (!message.is_array()) {
        const auto one = respond(message);
        return one ? jsonText(*one) : std::string();
    }
    if (message.empty() || message.size() > kMostInBatch)
        return jsonText(failed(
            nullptr, InvalidRequest, fmt::format("A batch has 1 to {} messages.", kMostInBatch)));
    Json answers = Json::array();
    for (const In& one : message) {
        if (auto response = respond(one))
            answers.push_back(*std::move(response));
    }
    return answers.empty() ? std::string() : jsonText(answers);
}

std::optional<Json> Server::respond(const In& message) {
    if (!message.is_object())
        return failed(nullptr, InvalidRequest, "A message is a JSON object.");
    const auto found = message.find("id");
    const bool isRequest = found != message.end();
    if (isRequest && !found->is_string() && !found->is_number())
        return failed(nullptr, InvalidRequest, "The id of a request is a text or a number.");
    const In* const id = isRequest ? &*found : nullptr;
    const auto method = message.find("method");
    if (method == message.end() && (message.contains("result") || message.contains("error")))
        return std::nullopt; // an answer: nothing was asked
    if (method == message.end() || !method->is_string() || message.value("jsonrpc", In()) != "2.0")
        return failed(id, InvalidRequest, "A request has \"jsonrpc\": \"2.0\" and a method.");
    if (!isRequest)
        return std::nullopt; // a notification
    const In params = message.value("params", In::object());
    if (!params.is_object())
        return failed(id, InvalidParams, "The params of a request are an object.");

    const In* const meta = metaOf(params);
    if (meta != nullptr && !isKnown(meta->at(kVersionKey)))
        return failed(id, UnsupportedVersion, "Unsupported protocol version",
            {{"supported", kVersions}, {"requested", meta->at(kVersionKey)}});
    if (meta != nullptr && !meta->value(kCapabilitiesKey, In()).is_object())
        return failed(id, InvalidParams,
            fmt::format("_meta says the client's capabilities as {}.", kCapabilitiesKey));
    Reply reply = replyTo(method->get<std::string>(), params, *id, meta != nullptr);
    if (const auto* failure = std::get_if<Failure>(&reply))
        return failed(id, failure->code, failure->message, failure->data);
    Json result = std::get<Json>(std::move(reply));
    if (meta != nullptr) {
        result["resultType"] = "complete";
        result["_meta"] = {{kServerKey, serverInfo()}};
    }
    return Json{{"jsonrpc", "2.0"}, {"id", *id}, {"result", std::move(result)}};
}

Server::Reply Server::replyTo(
    const std::string& method, const In& params, const In& id, bool isModern) {
    const Json capabilities{{"tools", Json::object()}};
    if (!isModern && method == "initialize") {
        const In version = params.value("protocolVersion", In());
        m_isInitialised = true;
        const bool isOffered = isKnown(version) && version != kVersions.front();
        return Json{{"protocolVersion", isOffered ? version : In(kNewestWithSession)},
            {"capabilities", capabilities}, {"serverInfo", serverInfo()},
            {"instructions", instructions()}};
    }
    if (!isModern && method == "ping")
        return Json::object();
    if (!isModern && !m_isInitialised)
        return Failure{InvalidParams,
            fmt::format("Say the revision of the protocol in _meta as {} (such as {}), or call "
                        "initialize first.",
                kVersionKey, kVersions.front())};
    if (isModern && method == "server/discover")
        return Json{{"supportedVersions", kVersions}, {"capabilities", capabilities},
            {"instructions", instructions()}, {"ttlMs", kFreshMs}, {"cacheScope", "private"}};
    if (method == "tools/list") {
        if (params.contains("cursor"))
            return Failure{InvalidParams, "All tools are on the first page: leave cursor out."};
        Json list{{"tools", m_tools.list()}};
        if (isModern)
            add(list, {{"ttlMs", kFreshMs}, {"cacheScope", "private"}});
        return list;
    }
    if (method == "tools/call")
        return call(params, id);
    return Failure{NoSuchMethod,
        "There is no method " + method + "; there are server/discover, tools/list and tools/call."};
}

Server::Reply Server::call(const In& params, const In& id) const {
    const In name = params.value("name", In());
    const In given = params.value("arguments", In());
    if (!name.is_string() || !m_tools.has(name.get<std::string>()))
        return Failure{InvalidParams, "Unknown tool; tools/list has those that there are."};
    if (!given.is_null() && !given.is_object())
        return Failure{InvalidParams, "The arguments of a tool are an object."};
    const ToolAnswer made = m_tools.call(name.get<std::string>(),
        given.is_null() ? In::object() : given, m_watchOf ? m_watchOf(id) : Watch());
    Json content = Json::array();
    if (!made.png.empty())
        content.push_back(
            {{"type", "image"}, {"data", base64(made.png)}, {"mimeType", "image/png"}});
    if (!made.text.empty() || content.empty())
        content.push_back({{"type", "text"}, {"text", made.text}});
    return Json{{"content", std::move(content)}, {"isError", made.isError}};
}

} // namespace trainscope::cli
