#include "importers/meters/ExposedSeries.h"

#include "core/model/AsciiText.h"
#include "importers/common/Cells.h"
#include "importers/common/DcgmFields.h"
#include "importers/common/Number.h"

namespace trainscope::importers::meters {

namespace {

bool isInfinite(std::string_view text) {
    return equalsIgnoringCase(text, "+inf") || equalsIgnoringCase(text, "-inf")
        || equalsIgnoringCase(text, "inf");
}

bool isDistribution(std::string_view name, std::span<const MetricLabel> labels) {
    return !labelOf(labels, "le").empty() || !labelOf(labels, "quantile").empty()
        || name.ends_with("_bucket");
}

} // namespace

std::optional<double> exposedNumber(std::string_view text, bool isDcgm) {
    if (equalsIgnoringCase(text, "nan") || isInfinite(text))
        return kMissing;
    const auto number = parseNumber(text);
    return number && isDcgm && isDcgmBlank(*number) ? kMissing : number;
}

ExposedSeries exposedSeries(std::string_view name, std::span<const MetricLabel> labels,
    std::string_view type, MeterLog& log) {
    ExposedSeries out;
    out.isDcgm = name.starts_with("DCGM_");
    if (name.empty() || isDistribution(name, labels))
        return out;
    const ExporterSeries meant = exporterSeries(name, labels, type);
    if (!meant.isKnown)
        log.sawOwn(name);
    Who who;
    who.kind = meant.whom.kind;
    who.host = meant.whom.node;
    who.device = meant.whom.device;
    who.model = meant.whom.model;
    who.uuid = meant.whom.uuid;
    who.address = meant.whom.address;
    if (who.kind == SubjectKind::Gpu)
        who.id = meant.whom.gpu >= 0 ? std::to_string(meant.whom.gpu) : meant.whom.uuid;
    const auto subject = log.table().subject(who);
    if (subject.hasValue())
        out.channel = log.table().channel(subject.value(), meant.description);
    else
        log.skip(subject.error().message);
    if (!meant.whom.job.empty())
        log.report().facts["job"] = meant.whom.job;
    return out;
}

} // namespace trainscope::importers::meters
