#include "app/viewmodels/inspector/SpanLookup.h"

#include "app/viewmodels/text/Texts.h"
#include "core/analysis/traces/Collectives.h"
#include "core/analysis/traces/KernelCategory.h"
#include "core/model/AsciiText.h"
#include "core/model/HarmlessText.h"
#include "core/model/SpanFacts.h"
#include "core/model/Try.h"
#include "core/plot/timeline/TraceClock.h"
#include "core/work/OperatorSignature.h"

#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>

namespace trainscope::app {
namespace {

struct KnownKey {
    const char* key;
    const char* label;
    const char* unit; // "": as it stands; " GB/s": behind the number
};
constexpr std::array<KnownKey, 25> kKnown{{
    {"Collective name", "Collective", ""},
    {"In msg nelems", "Elements in", "n"},
    {"Out msg nelems", "Elements out", "n"},
    {"dtype", "Data type", ""},
    {"Group size", "Group size", ""},
    {"Process Group Name", "Group", ""},
    {"Process Group Description", "Group purpose", ""},
    {"Process Group Ranks", "Group ranks", ""},
    {"Input Dims", "Shapes in", "dims"},
    {"Input type", "Types in", "values"},
    {"Input Strides", "Strides in", "dims"},
    {"Concrete Inputs", "Values in", "values"},
    {"Output Dims", "Shapes out", "dims"},
    {"Output type", "Types out", "values"},
    {"Input Tensors", "Tensors in", "tensors"},
    {"Output Tensors", "Tensors out", "tensors"},
    {"bytes", "Bytes", "B"},
    {"memory bandwidth (GB/s)", "Bandwidth", " GB/s"},
    {"grid", "Grid", "×"},
    {"block", "Block", "×"},
    {"registers per thread", "Registers per thread", ""},
    {"shared memory", "Shared memory", "B"},
    {"est. achieved occupancy %", "Occupancy, estimated", " %"},
    {"blocks per SM", "Blocks per SM", "some"},
    {"warps per SM", "Warps per SM", "some"},
}};

QString plainText(const QJsonValue& value, const QString& separator) {
    if (value.isString())
        return value.toString();
    if (value.isBool())
        return value.toBool() ? QStringLiteral("yes") : QStringLiteral("no");
    if (value.isArray()) {
        QStringList parts;
        for (const auto& part : value.toArray())
            parts.append(plainText(part, separator));
        return parts.join(separator);
    }
    if (value.isDouble())
        return decimalText(value.toDouble(), 'g', 15);
    return QString::fromUtf8(QJsonDocument(value.toObject()).toJson(QJsonDocument::Compact));
}

// "512 × 12, 12 × 18"; of what has no shape, a dash.
QString shapesText(const QJsonValue& shapes) {
    QStringList parts;
    for (const auto& shape : shapes.toArray()) {
        const QJsonArray sizes = shape.toArray();
        if (!sizes.isEmpty() && sizes.first().isArray()) // a list of tensors
            parts.append(QStringLiteral("(%1)").arg(shapesText(shape)));
        else
            parts.append(sizes.isEmpty() ? QString::fromUtf8("–")
                                         : plainText(shape, QString::fromUtf8(" × ")));
    }
    return parts.join(QStringLiteral(", "));
}

// A missing value has a dash, so that places tell the input.
QString placesText(const QJsonValue& values) {
    QStringList parts;
    for (const auto& value : values.toArray()) {
        const QString text = plainText(value, QStringLiteral(" "));
        parts.append(text.isEmpty() ? QString::fromUtf8("–") : text);
    }
    return parts.join(QStringLiteral(", "));
}

// Reads [tensor, storage, offset, elements, bytes of each, device].
QString tensorsText(const QJsonValue& tensors) {
    QStringList parts;
    for (const auto& tensor : tensors.toArray()) {
        const QJsonArray values = tensor.toArray();
        if (values.size() < 5)
            continue;
        const double bytes = values[3].toDouble() * values[4].toDouble();
        parts.append(QStringLiteral("%1 in storage %2, %3")
                         .arg(plainText(values[0], {}), plainText(values[1], {}),
                             metricText("bytes", bytes, "B")));
    }
    return parts.join(QStringLiteral("; "));
}

QString valueText(const QJsonValue& value, const QString& unit) {
    if (unit == QLatin1String("dims"))
        return shapesText(value);
    if (unit == QLatin1String("values"))
        return placesText(value);
    if (unit == QLatin1String("tensors"))
        return tensorsText(value);
    if (unit == QLatin1String("B") && value.isDouble())
        return metricText("bytes", value.toDouble(), "B");
    if (unit == QLatin1String("n") && value.isDouble())
        return wholeText(static_cast<std::int64_t>(value.toDouble()));
    return plainText(
               value, unit == QString::fromUtf8("×") ? QStringLiteral(" × ") : QStringLiteral(", "))
        + (unit.startsWith(u' ') ? unit : QString());
}

// Bytes of one element, by the names of PyTorch, C++ and NCCL.
std::optional<double> elementBytes(const std::string& dtype) {
    const auto type = work::elementTypeFrom(dtype);
    const bool isKnown = type != work::ElementType::Unknown;
    return work::bytesOf(isKnown ? type : work::elementTypeFrom(lowered(dtype)));
}

void addMessageSize(const QJsonObject& object, std::vector<Fact>& facts) {
    const auto bytes = elementBytes(object.value(QLatin1String("dtype")).toString().toStdString());
    const QJsonValue elements = object.value(QLatin1String("In msg nelems"));
    if (bytes && elements.isDouble())
        facts.push_back(
            {QStringLiteral("Message"), metricText("bytes", elements.toDouble() * *bytes, "B")});
}

// Escapes of JSON may spell what the text itself may not hold.
QString shown(const QString& text) {
    return QString::fromStdString(harmlessLine(text.toStdString()));
}

// "my_key" → "My key".
QString sentenceCase(QString key) {
    key.replace(QLatin1Char('_'), QLatin1Char(' '));
    return key.left(1).toUpper() + key.mid(1);
}

QJsonObject objectOf(std::string_view detail) {
    return QJsonDocument::fromJson(QByteArray(detail.data(), static_cast<qsizetype>(detail.size())))
        .object();
}

using store::Store;
using FoundSpan = std::optional<Span>;

Result<FoundSpan> spanHere(const Store& store, const SpanTarget& target) {
    auto exact = store.spanAt(target.track, target.time, target.depth);
    if (!exact.hasValue() || exact.value())
        return exact;
    FoundSpan longest;
    const TimeRange near{target.time - target.reach, target.time + target.reach + DurationNs{1}};
    RETURN_IF_ERROR(store.forEachSpan(target.track, near, [&](std::span<const Span> block) {
        for (const auto& span : block) {
            const bool better = !longest || span.duration > longest->duration;
            if (span.depth == target.depth && better)
                longest = span;
        }
        return true;
    }));
    return longest;
}

Result<FoundSpan> spanAfter(const Store& store, const SpanTarget& target) {
    FoundSpan next;
    const TimeRange rest{target.time, kAllTime.end};
    RETURN_IF_ERROR(store.forEachSpan(target.track, rest, [&](std::span<const Span> block) {
        const auto found = std::ranges::find_if(block, [&](const Span& span) {
            return span.depth == target.depth && span.start >= target.time;
        });
        if (found != block.end())
            next = *found;
        return !next.has_value();
    }));
    return next;
}

// Looks back in growing steps, so that a long track is not read from its beginning.
Result<FoundSpan> spanBefore(const Store& store, const SpanTarget& target, TimeNs trackBegin,
    const std::function<bool()>& isCancelled) {
    for (DurationNs back{100'000};; back.ns *= 16) {
        if (isCancelled())
            return cancelled();
        const bool last = target.time - trackBegin <= back;
        const TimeRange window{last ? trackBegin : target.time - back, target.time};
        FoundSpan previous;
        RETURN_IF_ERROR(store.forEachSpan(target.track, window, [&](std::span<const Span> block) {
            for (const auto& span : block) {
                if (span.depth == target.depth && span.start < target.time)
                    previous = span;
            }
            return true;
        }));
        if (previous || last)
            return previous;
    }
}

Result<FoundSpan> find(const Store& store, const SpanTarget& target, TimeNs trackBegin,
    const std::function<bool()>& isCancelled) {
    switch (target.step) {
    case SpanTarget::Step::Here:
        return spanHere(store, target);
    case SpanTarget::Step::Next:
        return spanAfter(store, target);
    case SpanTarget::Step::Previous:
        return spanBefore(store, target, trackBegin, isCancelled);
    }
    return FoundSpan{};
}

std::string nameText(const Store& store, NameId id) {
    return id.isValid() ? store.name(id).valueOr({}) : std::string();
}

// Adds the launch of the span, or the work that it launched: all kernels of a graph have the number
// of its launch.
Status addLaunch(const Store& store, const RunFacts& facts, SpanReport& report) {
    constexpr std::size_t kMostTold = 12;
    if (launchOf(report.span) == 0)
        return {};
    ASSIGN_OR_RETURN(
        auto found, store.correlated(facts.run.id, report.rank, report.span.correlation));
    const bool isLaunch = report.span.kind == SpanKind::Runtime;
    std::erase_if(found, [isLaunch](const store::FoundSpan& other) {
        return (other.span.kind == SpanKind::Runtime) == isLaunch;
    });
    const plot::LaunchArrow::End own{report.track, report.span.depth, report.span.start};
    for (std::size_t i = 0; i < std::min(kMostTold, found.size()); ++i) {
        const Span& other = found[i].span;
        const plot::LaunchArrow::End far{found[i].track, other.depth, other.start};
        report.launches.push_back(
            {report.run, report.rank, isLaunch ? own : far, isLaunch ? far : own});
        report.facts.push_back(
            {isLaunch ? QStringLiteral("Launches") : QStringLiteral("Launched by"),
                QString::fromStdString(nameText(store, other.name))});
        const DurationNs delay
            = isLaunch ? other.start - report.span.start : report.span.start - other.start;
        report.facts.push_back({QStringLiteral("Launch to start"), durationText(delay)});
    }
    if (found.size() > kMostTold)
        report.facts.push_back({QStringLiteral("Launches"),
            QStringLiteral("%1 more").arg(
                wholeText(static_cast<std::int64_t>(found.size() - kMostTold)))});
    return {};
}

// The other ranks' parts of a collective, the one that came last first.
Status addPeers(const Store& store, const Run& run, const plot::ShownRun& shown,
    const std::function<bool()>& isCancelled, SpanReport& report) {
    ASSIGN_OR_RETURN(const auto found,
        analysis::collectivePeers(
            {store, run, [&isCancelled](const ProgressState&) { return !isCancelled(); }},
            report.rank, report.span, shown.clocks.get()));
    if (!found)
        return {};
    const analysis::CollectivePeers& all = *found;
    report.facts.push_back({QStringLiteral("Peers"), {}, true});
    if (all.ranks.size() > 1) {
        report.facts.push_back(
            {QStringLiteral("Came last"), QStringLiteral("rank %1").arg(all.lastRank)});
        report.facts.push_back({QStringLiteral("Starts apart"), durationText(all.startSpread)});
    }
    const TimeNs start = plot::shownTime(shown, report.rank, report.span.start);
    for (const analysis::CollectiveRank& peer : all.ranks) {
        const DurationNs later = peer.start - start;
        const QString offset = peer.rank == report.rank
            ? QStringLiteral("this one")
            : (later.ns < 0 ? QString() : QStringLiteral("+")) + durationText(later);
        report.facts.push_back({QStringLiteral("rank %1").arg(peer.rank),
            QStringLiteral("%1, %2").arg(offset, durationText(peer.end - peer.start))});
    }
    if (!all.missingRanks.empty())
        report.facts.push_back({QStringLiteral("Not traced"),
            QString::fromStdString(
                text::numberList({all.missingRanks.begin(), all.missingRanks.end()}))});
    return {};
}

std::vector<Fact> basicFacts(const SpanReport& report, const RunFacts& run, const Track& track,
    const std::string& detail, const plot::TimeContext& context, TimeNs begin) {
    const auto& categories = analysis::KernelCategories::builtIn();
    const bool isKernel = report.span.kind == SpanKind::Kernel;
    const auto kind = isKernel ? analysis::KernelCategories::label(
                          categories.categoryOf(report.name, collectiveName(detail)))
                               : toString(report.span.kind);
    const QString start
        = QString::fromStdString(plot::timeText(begin - context.origin, DurationNs{1}, context));
    return {{QStringLiteral("Name"), QString::fromStdString(report.name)},
        {isKernel ? QStringLiteral("Category") : QStringLiteral("Kind"), app::textOf(kind)},
        {QStringLiteral("Start"), start},
        {QStringLiteral("Duration"), exactDurationText(report.span.duration)},
        {QStringLiteral("Run"), QString::fromStdString(run.run.name)},
        {QStringLiteral("Rank"), report.rank < 0 ? noDataText() : QString::number(report.rank)},
        {QStringLiteral("Track"), QString::fromStdString(track.description.name)}};
}

} // namespace

std::vector<Fact> detailFacts(std::string_view detail) {
    QJsonObject object = objectOf(detail);
    std::vector<Fact> facts;
    for (const auto& known : kKnown) {
        const QString key = QString::fromLatin1(known.key);
        // Profilers write 0 of what they could not compute.
        const bool isZero = object.value(key).isDouble() && object.value(key).toDouble() == 0.0;
        const std::string_view unit = known.unit;
        if (!object.contains(key) || (isZero && (unit == "some" || unit.starts_with(' '))))
            continue;
        facts.push_back({textOf(known.label),
            shown(valueText(object.value(key), QString::fromUtf8(known.unit)))});
        if (key == QLatin1String("Collective name"))
            addMessageSize(object, facts);
    }
    for (const auto& known : kKnown)
        object.remove(QString::fromLatin1(known.key));
    for (auto it = object.begin(); it != object.end(); ++it)
        facts.push_back(
            {sentenceCase(shown(it.key())), shown(plainText(it.value(), QStringLiteral(", ")))});
    return facts;
}

std::string collectiveName(std::string_view detail) {
    return objectOf(detail).value(QLatin1String("Collective name")).toString().toStdString();
}

Result<std::optional<SpanReport>> lookUpSpan(const Store& store, const TimelineCatalogue& catalogue,
    const SpanTarget& target, const plot::TimeContext& context,
    const std::function<bool()>& isCancelled) {
    if (target.run >= catalogue.runs.size())
        return std::optional<SpanReport>{};
    const RunFacts run = catalogue.facts(target.run);
    const auto track = std::ranges::find(run.tracks, target.track, &Track::id);
    if (track == run.tracks.end())
        return std::optional<SpanReport>{};
    ASSIGN_OR_RETURN(auto found, find(store, target, track->range.begin, isCancelled));
    if (!found)
        return std::optional<SpanReport>{};
    SpanReport report;
    report.run = target.run;
    report.track = target.track;
    report.rank = track->description.rank;
    report.span = *found;
    report.name = nameText(store, report.span.name);
    report.title = report.span.kind == SpanKind::Kernel ? QStringLiteral("Kernel")
        : track->description.kind == TrackKind::Thread  ? QStringLiteral("Host call")
                                                        : QStringLiteral("On the stream");
    const std::string detail = nameText(store, report.span.detail);
    plot::ShownRun shown;
    shown.clocks = target.clocks;
    report.facts = basicFacts(report, run, *track, detail, context,
        plot::shownTime(shown, report.rank, report.span.start));
    auto more = detailFacts(detail);
    report.facts.insert(report.facts.end(), more.begin(), more.end());
    RETURN_IF_ERROR(addLaunch(store, run, report));
    RETURN_IF_ERROR(addPeers(store, run.run, shown, isCancelled, report));
    return std::optional<SpanReport>(std::move(report));
}

} // namespace trainscope::app
