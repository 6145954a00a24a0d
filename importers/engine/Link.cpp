#include "importers/engine/Link.h"

#include "core/model/WholeNumber.h"
#include "importers/common/Number.h"
#include "importers/engine/JsonCursor.h"

#include <fmt/format.h>

#include <limits>

namespace trainscope::importers::engine {

namespace {

constexpr int kLinkVersion = 1;

std::string jsonText(std::string_view text) {
    std::string out = "\"";
    for (const char c : text) {
        if (c == '"' || c == '\\')
            out.push_back('\\');
        if (static_cast<unsigned char>(c) < 0x20)
            out += fmt::format("\\u{:04x}", static_cast<unsigned>(c));
        else
            out.push_back(c);
    }
    return out + "\"";
}

std::string metricText(const FoundMetric& metric) {
    return fmt::format(
        R"({{"engine":{},"metric":{},"unit":{},"label":{},"kind":{},"scale":{},"subject":{},"uuid_label":{},"node_label":{}}})",
        jsonText(metric.engineName), jsonText(metric.metric.name), jsonText(metric.metric.unit),
        jsonText(metric.metric.label), jsonText(toString(metric.metric.kind)), metric.scale,
        static_cast<int>(metric.subject), jsonText(metric.uuidLabel), jsonText(metric.nodeLabel));
}

class LinkReader {
public:
    explicit LinkReader(std::string_view text)
        : m_cursor(text) { }

    Result<Link> read() {
        std::string key;
        bool isGood = m_cursor.beginObject();
        while (isGood && m_cursor.nextMember(key))
            isGood = member(key);
        if (!isGood || !m_cursor.isGood() || !m_cursor.atEnd() || m_link.address.url.empty())
            return Error{ErrorCode::Unreadable,
                "What the database keeps of the engine is damaged; link the run again.", {}};
        return std::move(m_link);
    }

private:
    bool member(const std::string& key) {
        if (key == "url")
            return m_cursor.string(m_link.address.url);
        if (key == "metric")
            return m_cursor.string(m_link.selector.metric);
        if (key == "conditions")
            return m_cursor.string(m_link.selector.conditions);
        if (key == "tenant")
            return m_cursor.string(m_link.tenant);
        if (key == "mapping")
            return mapping();
        if (key == "from_ns")
            return number(m_link.range.begin.ns);
        if (key == "to_ns")
            return number(m_link.range.end.ns);
        if (key == "live")
            return live();
        if (key == "nodes")
            return texts(m_link.nodes);
        if (key == "aliases")
            return aliases();
        return key == "metrics" ? metrics() : m_cursor.skip();
    }

    bool mapping() {
        std::string text;
        if (!m_cursor.string(text))
            return false;
        auto mapping = mappingFrom(text);
        if (!mapping.hasValue())
            return false;
        m_link.mapping = std::move(mapping).value();
        return true;
    }

    template <typename Integer>
    bool number(Integer& into) {
        std::string_view text;
        if (!m_cursor.scalar(text))
            return false;
        const auto value = wholeNumber<Integer>(text);
        into = value.value_or(Integer{});
        return value.has_value();
    }

    bool live() {
        std::string_view text;
        const bool isRead = m_cursor.scalar(text);
        m_link.isLive = text == "true";
        return isRead;
    }

    bool texts(std::vector<std::string>& into) {
        if (!m_cursor.beginArray())
            return false;
        std::string text;
        while (m_cursor.nextElement()) {
            if (!m_cursor.string(text))
                return false;
            into.push_back(text);
        }
        return m_cursor.isGood();
    }

    bool aliases() {
        std::string name;
        if (!m_cursor.beginObject())
            return false;
        while (m_cursor.nextMember(name)) {
            if (!m_cursor.string(m_link.aliases[name]))
                return false;
        }
        return m_cursor.isGood();
    }

    bool metrics() {
        if (!m_cursor.beginArray())
            return false;
        while (m_cursor.nextElement()) {
            if (!metric(m_link.metrics.emplace_back()))
                return false;
        }
        return m_cursor.isGood();
    }

    bool metric(FoundMetric& metric) {
        std::string key;
        std::string text;
        if (!m_cursor.beginObject())
            return false;
        while (m_cursor.nextMember(key)) {
            bool isRead = true;
            if (key == "engine") {
                isRead = m_cursor.string(metric.engineName);
            } else if (key == "metric") {
                isRead = m_cursor.string(metric.metric.name);
            } else if (key == "unit") {
                isRead = m_cursor.string(metric.metric.unit);
            } else if (key == "label") {
                isRead = m_cursor.string(metric.metric.label);
            } else if (key == "kind") {
                isRead = m_cursor.string(text);
                metric.metric.kind = metricKindFromString(text);
            } else if (key == "scale") {
                isRead = scale(metric.scale);
            } else if (key == "subject") {
                isRead = subject(metric.subject);
            } else if (key == "uuid_label") {
                isRead = m_cursor.string(metric.uuidLabel);
            } else if (key == "node_label") {
                isRead = m_cursor.string(metric.nodeLabel);
            } else {
                isRead = m_cursor.skip();
            }
            if (!isRead)
                return false;
        }
        return m_cursor.isGood();
    }

    bool scale(double& into) {
        std::string_view text;
        if (!m_cursor.scalar(text))
            return false;
        const auto value = parseNumber(text);
        into = value.value_or(1.0);
        return value.has_value();
    }

    bool subject(SubjectKind& into) {
        int value = 0;
        if (!number(value) || value < 0 || value > static_cast<int>(SubjectKind::Run))
            return false;
        into = static_cast<SubjectKind>(value);
        return true;
    }

    JsonCursor m_cursor;
    Link m_link;
};

} // namespace

Link linkOf(const Address& address, const Wanted& wanted, const Catalogue& catalogue, bool isLive) {
    return {address, wanted.selector, wanted.mapping, wanted.range, {}, isLive,
        catalogue.roster.nodes(), catalogue.roster.aliases(), catalogue.metrics};
}

std::string textOf(const Link& link) {
    std::string text = fmt::format(
        R"({{"version":{},"url":{},"metric":{},"conditions":{},"mapping":{},"from_ns":{},"to_ns":{},"live":{},"nodes":[)",
        kLinkVersion, jsonText(link.address.url), jsonText(link.selector.metric),
        jsonText(link.selector.conditions), jsonText(textOf(link.mapping)), link.range.begin.ns,
        link.range.end.ns, link.isLive);
    if (!link.tenant.empty())
        text.insert(text.find("\"nodes\""), "\"tenant\":" + jsonText(link.tenant) + ",");
    const auto separated = [&text](bool& isFirst) {
        text += isFirst ? "" : ",";
        isFirst = false;
    };
    bool isFirst = true;
    for (const std::string& node : link.nodes) {
        separated(isFirst);
        text += jsonText(node);
    }
    text += "],\"aliases\":{";
    isFirst = true;
    for (const auto& [name, node] : link.aliases) {
        separated(isFirst);
        text += jsonText(name) + ":" + jsonText(node);
    }
    text += "},\"metrics\":[";
    isFirst = true;
    for (const FoundMetric& metric : link.metrics) {
        separated(isFirst);
        text += metricText(metric);
    }
    return text + "]}";
}

Result<Link> linkFrom(std::string_view text) {
    return LinkReader(text).read();
}

} // namespace trainscope::importers::engine
