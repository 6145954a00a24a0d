#include "importers/launch/Settings.h"

#include <nlohmann/json.hpp>
#include <toml.hpp>
#include <yaml-cpp/anchor.h>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/parser.h>

#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <sstream>
#include <vector>

namespace trainscope::importers::launch {

namespace {

constexpr std::size_t kMaxYamlDepth
    = 64; // deeper nodes are passed over: their paths would only grow
constexpr int kMaxDocuments = 16;
constexpr std::size_t kMaxYamlScalars = 200'000;

class Collector final : public YAML::EventHandler {
public:
    Settings scalars;

    void OnDocumentStart(const YAML::Mark&) override { }
    void OnDocumentEnd() override { }
    void OnNull(const YAML::Mark&, YAML::anchor_t) override { scalar({}, 0); }
    void OnAlias(const YAML::Mark&, YAML::anchor_t anchor) override {
        const auto found = m_anchors.find(anchor);
        scalar(found == m_anchors.end() ? std::string() : found->second, 0);
    }
    void OnScalar(const YAML::Mark&, const std::string&, YAML::anchor_t anchor,
        const std::string& value) override {
        scalar(value, anchor);
    }
    void OnSequenceStart(
        const YAML::Mark&, const std::string&, YAML::anchor_t, YAML::EmitterStyle::value) override {
        open(false);
    }
    void OnSequenceEnd() override {
        if (m_skipped == 0 && !m_frames.empty())
            keep(m_frames.back().path + "#", std::to_string(m_frames.back().index));
        close();
    }
    void OnMapStart(
        const YAML::Mark&, const std::string&, YAML::anchor_t, YAML::EmitterStyle::value) override {
        open(true);
    }
    void OnMapEnd() override { close(); }

private:
    struct Frame {
        std::string path;
        bool isMap = false;
        bool wantsKey = true;
        std::string key;
        std::size_t index = 0;
    };

    // The path of the node that comes next, unless it is a key.
    [[nodiscard]] std::string nodePath() const {
        if (m_frames.empty())
            return {};
        const Frame& frame = m_frames.back();
        const std::string name = frame.isMap ? frame.key : std::to_string(frame.index);
        return frame.path.empty() ? name : frame.path + "." + name;
    }

    [[nodiscard]] bool expectsKey() const {
        return !m_frames.empty() && m_frames.back().isMap && m_frames.back().wantsKey;
    }

    void nodeDone() {
        if (m_frames.empty())
            return;
        Frame& frame = m_frames.back();
        frame.wantsKey = true;
        ++frame.index;
    }

    void scalar(const std::string& value, YAML::anchor_t anchor) {
        if (m_skipped > 0)
            return;
        if (anchor != 0 && m_anchors.size() < kMaxYamlScalars)
            m_anchors[anchor] = value;
        if (expectsKey()) {
            m_frames.back().key = value;
            m_frames.back().wantsKey = false;
            return;
        }
        keep(nodePath(), value);
        nodeDone();
    }

    void open(bool isMap) {
        // A map or list that is a key has no path.
        if (m_skipped > 0 || expectsKey() || m_frames.size() >= kMaxYamlDepth) {
            ++m_skipped;
            return;
        }
        std::string path = nodePath();
        m_frames.push_back({std::move(path), isMap, true, {}, 0});
    }

    void close() {
        if (m_skipped > 0)
            --m_skipped;
        else if (!m_frames.empty())
            m_frames.pop_back();
        if (m_skipped == 0)
            nodeClosed();
    }

    void nodeClosed() {
        if (expectsKey()) {
            m_frames.back().key = "?";
            m_frames.back().wantsKey = false;
            return;
        }
        nodeDone();
    }

    void keep(std::string path, std::string value) {
        if (!path.empty() && scalars.size() < kMaxYamlScalars)
            scalars.insert_or_assign(std::move(path), std::move(value));
    }

    std::vector<Frame> m_frames;
    std::map<YAML::anchor_t, std::string> m_anchors;
    std::size_t m_skipped = 0; // open nodes that are passed over
};

} // namespace

Result<Settings> readYamlSettings(std::string_view text, const std::string& where) {
    if (text.size() > kMaxYamlBytes)
        return Error{ErrorCode::Unrecognised,
            "This is too large for a launch configuration (4 MiB at most).", where};
    try {
        std::istringstream stream{std::string(text)};
        YAML::Parser parser(stream);
        Collector collector;
        // The parser can return the same broken document for ever.
        int documents = 0;
        while (collector.scalars.empty() && documents < kMaxDocuments
            && parser.HandleNextDocument(collector))
            ++documents;
        return std::move(collector.scalars);
    } catch (const YAML::Exception& failure) {
        return Error{ErrorCode::Unrecognised,
            "This is not readable YAML: line " + std::to_string(failure.mark.line + 1) + ", "
                + failure.msg + ".",
            where};
    } catch (const std::exception& failure) {
        return Error{ErrorCode::Unrecognised,
            std::string("The YAML cannot be read: ") + failure.what(), where};
    }
}

namespace {

constexpr std::size_t kMaxTomlBytes = std::size_t{256} << 10;

// The parser descends at each bracket and each part of a key.
bool isDeep(std::string_view toml) {
    constexpr int kMostOpen = 32;
    constexpr int kMostDots = 256; // in a line
    int open = 0;
    int dots = 0;
    return std::ranges::any_of(toml, [&](char c) {
        open += c == '[' || c == '{' ? 1 : 0;
        open -= (c == ']' || c == '}') && open > 0 ? 1 : 0;
        dots = c == '\n' ? 0 : dots + (c == '.' ? 1 : 0);
        return open > kMostOpen || dots > kMostDots;
    });
}

void flatten(const toml::value& value, const std::string& path, Settings& into) {
    const auto below
        = [&path](const std::string& key) { return path.empty() ? key : path + "." + key; };
    if (value.is_table()) {
        for (const auto& [key, member] : value.as_table())
            flatten(member, below(key), into);
    } else if (value.is_array()) {
        const auto& items = value.as_array();
        for (std::size_t i = 0; i < items.size(); ++i)
            flatten(items[i], below(std::to_string(i)), into);
        into[path + "#"] = std::to_string(items.size());
    } else if (value.is_string()) {
        into[path] = value.as_string().str;
    } else if (value.is_boolean()) {
        into[path] = value.as_boolean() ? "true" : "false";
    } else if (value.is_integer()) {
        into[path] = std::to_string(value.as_integer());
    } else if (value.is_floating()) {
        into[path] = fmt::format("{}", value.as_floating());
    }
}

} // namespace

Result<Settings> readTomlSettings(std::string_view text, const std::string& where) {
    if (text.size() > kMaxTomlBytes || isDeep(text))
        return Error{ErrorCode::Unrecognised,
            "This is too large or nested too deep for a launch configuration.", where};
    try {
        std::istringstream stream{std::string(text)};
        Settings scalars;
        flatten(toml::parse(stream, where), {}, scalars);
        return scalars;
    } catch (const std::exception& failure) {
        return Error{ErrorCode::Unrecognised,
            std::string("This is not readable TOML: ") + failure.what(), where};
    }
}

namespace {

using Json = nlohmann::json;

constexpr int kMaxDepth = 8;
constexpr std::size_t kMaxScalars = 200'000;

std::string scalarText(const Json& value) {
    if (value.is_string())
        return value.get<std::string>();
    if (value.is_null())
        return {};
    return value.dump(-1, ' ', false, Json::error_handler_t::replace);
}

void flatten(const Json& value, const std::string& path, int depth, Settings& into) {
    if (into.size() >= kMaxScalars)
        return;
    if (!value.is_structured()) {
        into.insert_or_assign(path, scalarText(value));
        return;
    }
    if (depth == 0)
        return;
    if (value.is_array()) {
        into.insert_or_assign(path + "#", std::to_string(value.size()));
        return;
    }
    for (const auto& item : value.items())
        flatten(item.value(), path.empty() ? item.key() : path + "." + item.key(), depth - 1, into);
}

} // namespace

Result<Settings> readJsonSettings(std::string_view text, const std::string& where) {
    if (text.size() > kMaxYamlBytes)
        return Error{ErrorCode::Unrecognised,
            "This is too large for a launch configuration (4 MiB at most).", where};
    const auto shallow = [](int depth, Json::parse_event_t, Json&) { return depth <= kMaxDepth; };
    const Json object = Json::parse(text, shallow, false);
    if (!object.is_object())
        return Error{ErrorCode::Unrecognised, "This is no JSON object.", where};
    Settings scalars;
    flatten(object, {}, kMaxDepth, scalars);
    return scalars;
}

} // namespace trainscope::importers::launch
