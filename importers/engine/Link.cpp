#include "importers/engine/Link.h"

#include "core/model/JsonDepth.h"
#include "core/model/Try.h"

#include <nlohmann/json.hpp>

namespace trainscope::importers::engine {

namespace {

using Json = nlohmann::ordered_json;

constexpr int kLinkVersion = 1;

Json jsonOf(const FoundMetric& metric) {
    return {{"engine", metric.engineName}, {"metric", metric.metric.name},
        {"unit", metric.metric.unit}, {"label", metric.metric.label},
        {"kind", toString(metric.metric.kind)}, {"scale", metric.scale},
        {"subject", static_cast<int>(metric.subject)}, {"uuid_label", metric.uuidLabel},
        {"node_label", metric.nodeLabel}};
}

// Throw Json::exception for what is missing or of another type, which linkFrom() catches.

std::int64_t integerAt(const Json& json, const char* key) {
    return json.at(key).get_ref<const Json::number_integer_t&>();
}

FoundMetric metricFrom(const Json& json) {
    const std::string none;
    FoundMetric metric;
    metric.engineName = json.value("engine", none);
    metric.metric.name = json.value("metric", none);
    metric.metric.unit = json.value("unit", none);
    metric.metric.label = json.value("label", none);
    metric.metric.kind = fromString(json.value("kind", none), MetricKind::Gauge);
    metric.scale = json.value("scale", 1.0);
    metric.subject = static_cast<SubjectKind>(integerAt(json, "subject"));
    metric.uuidLabel = json.value("uuid_label", none);
    metric.nodeLabel = json.value("node_label", none);
    return metric;
}

Link linkIn(const Json& json) {
    const std::string none;
    Link link;
    link.address.url = json.at("url");
    link.selector.metric = json.value("metric", none);
    link.selector.conditions = json.value("conditions", none);
    link.tenant = json.value("tenant", none);
    link.range = {{integerAt(json, "from_ns")}, {integerAt(json, "to_ns")}};
    link.isLive = json.value("live", false);
    link.nodes = json.value("nodes", std::vector<std::string>());
    link.aliases = json.value("aliases", link.aliases);
    for (const Json& metric : json.at("metrics"))
        link.metrics.push_back(metricFrom(metric));
    return link;
}

Status check(Link& link) {
    ASSIGN_OR_RETURN(link.address, addressFrom(link.address.url));
    ASSIGN_OR_RETURN(link.selector, selectorFrom(link.selector.text()));
    if (!link.tenant.empty())
        RETURN_IF_ERROR(checkHeader(kTenantHeader, link.tenant));
    for (const FoundMetric& metric : link.metrics) {
        if (metric.subject < SubjectKind::Gpu || metric.subject > SubjectKind::Run)
            return usageError("a metric is of nothing that is known.");
        for (const std::string& label : {metric.uuidLabel, metric.nodeLabel}) {
            if (!label.empty() && !isLabelName(label))
                return usageError("\"" + label + "\" is no label.");
        }
    }
    return {};
}

} // namespace

Link linkOf(const Address& address, const Wanted& wanted, const Catalogue& catalogue, bool isLive) {
    return {address, wanted.selector, wanted.mapping, wanted.range, {}, isLive,
        catalogue.roster.nodes(), catalogue.roster.aliases(), catalogue.metrics};
}

std::string textOf(const Link& link) {
    Json json{{"version", kLinkVersion}, {"url", link.address.url},
        {"metric", link.selector.metric}, {"conditions", link.selector.conditions},
        {"tenant", link.tenant}, {"mapping", textOf(link.mapping)},
        {"from_ns", link.range.begin.ns}, {"to_ns", link.range.end.ns}, {"live", link.isLive},
        {"nodes", link.nodes}, {"aliases", link.aliases}, {"metrics", Json::array()}};
    for (const FoundMetric& metric : link.metrics)
        json["metrics"].push_back(jsonOf(metric));
    return json.dump(-1, ' ', false, Json::error_handler_t::replace); // engines may name anything
}

Result<Link> linkFrom(std::string_view text) {
    Link link;
    try {
        const Json json = isNestedTooDeep(text) ? Json() : Json::parse(text);
        link = linkIn(json);
        ASSIGN_OR_RETURN(link.mapping, mappingFrom(json.value("mapping", std::string())));
    } catch (const Json::exception&) {
        return Error{ErrorCode::Unreadable,
            "What the database keeps of the engine is damaged; link the run again.", {}};
    }
    if (const Status checked = check(link); !checked.hasValue())
        return Error{ErrorCode::Refused,
            "The database links a run to a monitoring engine by what may not be sent to one: "
                + checked.error().message + " Nothing is asked; link the run again.",
            {}};
    return link;
}

} // namespace trainscope::importers::engine
