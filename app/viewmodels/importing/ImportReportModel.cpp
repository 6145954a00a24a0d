#include "app/viewmodels/importing/ImportReportModel.h"

#include "app/viewmodels/text/Texts.h"
#include "core/analysis/machine/AllocatorMemory.h"
#include "core/report/WarningLines.h"
#include "importers/registry/Registry.h"

namespace trainscope::app {
namespace {

using Facts = std::vector<std::pair<QString, QString>>;

void addCount(Facts& facts, const char* label, std::int64_t count) {
    if (count > 0)
        facts.emplace_back(textOf(label), wholeText(count));
}

// "0-3, 8", all of them.
QString listed(const std::set<int>& ranks) {
    return QString::fromStdString(text::numberList(ranks, ranks.size()));
}

QString missingRanks(int expected, const std::set<int>& found) {
    std::set<int> missing;
    for (int rank = 0; rank < expected; ++rank) {
        if (!found.contains(rank))
            missing.insert(missing.end(), rank);
    }
    return listed(missing);
}

void addRanks(Facts& facts, const ImportReport& report, const std::set<int>& beside) {
    const auto found = static_cast<std::int64_t>(report.ranksFound.size());
    const int expected = believableGpus(report.ranksExpected);
    const std::set<int> own(report.ranksFound.begin(), report.ranksFound.end());
    if (found == 0 && expected == 0)
        return;
    if (expected == 0) {
        facts.emplace_back(QStringLiteral("Ranks found"), listed(own));
        return;
    }
    std::set<int> all = beside;
    all.insert(own.begin(), own.end());
    const QString missing = missingRanks(expected, all);
    auto text = QStringLiteral("%1 of %2 expected").arg(found).arg(expected);
    if (missing.isEmpty() && found < expected)
        text = QStringLiteral("%1; the other sources of the run have the rest").arg(listed(own));
    if (!missing.isEmpty())
        text = QStringLiteral("%1, missing: %2").arg(text, missing);
    facts.emplace_back(QStringLiteral("Ranks found"), text);
}

// "sensor_period" → "Sensor period".
QString readable(const std::string& key) {
    auto text = shownLine(key)
                    .replace(QLatin1Char('_'), QLatin1Char(' '))
                    .replace(QLatin1String("gpu"), QLatin1String("GPU"));
    if (!text.isEmpty())
        text[0] = text[0].toUpper();
    return text;
}

// Facts that the line of the clock says in words, and values that say nothing.
bool isToldElsewhere(const std::string& key, const std::string& value) {
    static const std::set<std::string> told{std::string(analysis::kAllocatorFact), "placed_at_ns",
        "placed_within_s", "placed_ambiguously", "utc_offset_s", "utc_offset_next_agreement"};
    const QString said = QString::fromStdString(value).toLower();
    return told.contains(key) || said.isEmpty() || said == QLatin1String("undefined")
        || said == QLatin1String("unknown") || said == QLatin1String("none");
}

QString labelOf(const std::string& key) {
    if (key == "placed_agreement" || key == "utc_offset_agreement")
        return QStringLiteral("Agreement with the power");
    return readable(key);
}

// "cpu_op" → "cpu op": as traces name their events.
QString eventName(QString name) {
    return name.replace(QLatin1Char('_'), QLatin1Char(' '));
}

// Counts of one kind, "cat:kernel" and "cat:cpu_op", share a line.
void addCounts(Facts& facts, const ImportReport& report) {
    std::map<QString, QStringList> kinds;
    for (const auto& [key, value] : report.counts) {
        const auto text = shownLine(key);
        const auto colon = text.indexOf(QLatin1Char(':'));
        if (colon < 0)
            facts.emplace_back(readable(key), wholeText(value));
        else if (!key.starts_with("ph:")) // letters of the format
            kinds[text.left(colon)].append(
                QStringLiteral("%1 %2").arg(eventName(text.mid(colon + 1)), wholeText(value)));
    }
    for (const auto& [kind, texts] : kinds) {
        const auto label = kind == QLatin1String("cat") ? QStringLiteral("Events by category")
                                                        : readable(kind.toStdString());
        facts.emplace_back(label, texts.join(QStringLiteral(", ")));
    }
}

using Entry = ImportReportModel::Entry;

constexpr int kFine = 0;
constexpr int kWarned = 1;
constexpr int kFailed = 2;

QString formatName(const std::string& importer) {
    const auto* found = importers::findImporter(importer.substr(0, importer.find(' ')));
    return QString::fromStdString(found == nullptr ? importer : std::string(found->format.name));
}

QString amountOf(const ImportReport& report) {
    QStringList parts;
    for (const auto& [count, noun] :
        {std::pair(report.samples, "sample"), std::pair(report.spans, "span")}) {
        if (count > 0)
            parts.append(countedText(count, noun));
    }
    return parts.join(QStringLiteral(", "));
}

QString placedText(const ImportReport& report) {
    const auto within = report.facts.find("placed_within_s");
    if (within == report.facts.end())
        return {};
    const double seconds = QString::fromStdString(within->second).toDouble();
    const auto fits = report.facts.find("placed_ambiguously");
    const bool isAmbiguous = fits != report.facts.end() && fits->second == "true";
    const QString text = QStringLiteral("the log placed within %1 by power")
                             .arg(QString::fromStdString(text::seconds(seconds)));
    return isAmbiguous ? QStringLiteral("%1, where other places fit as well").arg(text) : text;
}

void fillFrom(Entry& entry, const ImportReport& report) {
    entry.report = report;
    entry.placed = placedText(report);
    entry.told = report::warningsOf(report);
    entry.severity = report.warningCount > 0 || report.skipped > 0 ? kWarned : kFine;
    entry.verdict
        = entry.severity == kWarned ? QStringLiteral("read with warnings") : QStringLiteral("read");
}

// The ranks that the sources of a run have together.
std::map<QString, std::set<int>> ranksOfRuns(const std::vector<Entry>& entries) {
    std::map<QString, std::set<int>> ranks;
    for (const Entry& entry : entries) {
        for (const QString& run : entry.runs)
            ranks[run].insert(entry.report.ranksFound.begin(), entry.report.ranksFound.end());
    }
    return ranks;
}

QStringList runNames(const store::Source& source, const std::vector<Run>& runs) {
    QStringList names;
    for (const auto id : source.runs) {
        const auto found = std::ranges::find(runs, id, &Run::id);
        if (found != runs.end())
            names.append(QString::fromStdString(found->name));
    }
    return names;
}

QString originOf(const QString& run, const ImportReport& report) {
    QStringList parts{QStringLiteral("Run %1").arg(run), formatName(report.importer)};
    parts.append(amountOf(report));
    parts.removeAll(QString());
    return parts.join(QStringLiteral(" · "));
}

} // namespace

std::vector<std::pair<QString, QString>> reportFacts(
    const ImportReport& report, const std::set<int>& beside) {
    Facts facts;
    facts.emplace_back(QStringLiteral("Rows read"), wholeText(report.rows));
    addCount(facts, "Rows skipped", report.skipped);
    addRanks(facts, report, beside);
    addCount(facts, "Samples", report.samples);
    addCount(facts, "Missing samples", report.missing);
    addCount(facts, "Spans", report.spans);
    addCount(facts, "Gaps", report.gaps);
    addCount(facts, "Counter wraps or resets", report.counterFalls);
    for (const auto& [key, value] : report.facts) {
        if (!isToldElsewhere(key, value))
            facts.emplace_back(labelOf(key), shownText(value));
    }
    addCounts(facts, report);
    facts.emplace_back(QStringLiteral("Size"), bytesText(report.bytes));
    return facts;
}

QStringList warningTexts(const std::vector<ImportWarning>& warnings) {
    QStringList texts;
    for (const auto& line : report::groupedWarnings(warnings))
        texts.append(shownText(line.text));
    return texts;
}

ImportReportModel::ImportReportModel(QObject* parent)
    : RowListModel({{"path", &Entry::path}, {"brief", &Entry::brief}, {"origin", &Entry::origin},
                       {"verdict", &Entry::verdict}, {"severity", &Entry::severity},
                       {"factLabels", &Entry::factLabels}, {"factValues", &Entry::factValues},
                       {"warnings", &Entry::warnings}},
        parent) { }

Entry ImportReportModel::entryOf(const UnitOutcome& outcome, const QString& path) {
    Entry entry;
    entry.path = shownLine(path);
    const QString run = shownLine(importers::runText(outcome.unit));
    entry.origin = QStringLiteral("Run %1").arg(run);
    entry.files = std::max<qsizetype>(1, std::ssize(outcome.unit.files));
    entry.runs = listOf(outcome.runs);
    if (outcome.report) {
        entry.origin = originOf(run, *outcome.report);
        fillFrom(entry, *outcome.report);
    }
    if (!outcome.error)
        return entry;
    const bool stopped = outcome.error->code == ErrorCode::Cancelled;
    entry.severity = kFailed;
    entry.verdict
        = stopped ? QStringLiteral("stopped, nothing of it was kept") : QStringLiteral("failed");
    if (!stopped)
        entry.told.push_back(
            {outcome.error->where, 0, outcome.error->message, 1, Severity::Failed});
    return entry;
}

Entry ImportReportModel::entryOf(
    const store::Source& source, const std::vector<Run>& runsOfDatabase) {
    Entry entry;
    entry.path = QString::fromStdString(source.path);
    entry.runs = runNames(source, runsOfDatabase);
    entry.origin = QStringLiteral("%1 · imported %2")
                       .arg(originOf(entry.runs.join(QStringLiteral(", ")), source.report),
                           momentText(source.importedAt));
    fillFrom(entry, source.report);
    return entry;
}

void ImportReportModel::setEntries(std::vector<Entry> entries, const text::Table& runs) {
    m_runs.clear();
    for (const auto& cells : runs.inWords()) {
        QStringList words;
        for (const std::string& cell : cells)
            words.append(shownLine(cell));
        const QString name = words.takeFirst();
        words.removeAll(textOf(text::kMissing));
        m_runs.append(QStringLiteral("%1: %2").arg(name, words.join(QStringLiteral(" · "))));
    }
    const auto ranks = ranksOfRuns(entries);
    for (Entry& entry : entries) {
        entry.warnings = warningTexts(entry.told);
        if (entry.report.importer.empty())
            continue; // it was not read
        std::set<int> beside;
        for (const QString& run : entry.runs) {
            if (const auto found = ranks.find(run); found != ranks.end())
                beside.insert(found->second.begin(), found->second.end());
        }
        entry.factLabels.clear();
        entry.factValues.clear();
        for (const auto& [label, value] : reportFacts(entry.report, beside)) {
            entry.factLabels.append(label);
            entry.factValues.append(value);
        }
    }
    // Failures come first: the user came to read them.
    std::ranges::stable_sort(
        entries, [](const Entry& a, const Entry& b) { return a.severity > b.severity; });
    QStringList paths;
    for (const Entry& entry : entries)
        paths.append(entry.path);
    const QStringList briefs = briefNames(paths);
    for (std::size_t i = 0; i < entries.size(); ++i)
        entries[i].brief = briefs[static_cast<qsizetype>(i)];
    resetRows(std::move(entries));
}

QString ImportReportModel::outcomeOf(const std::vector<Entry>& entries) {
    std::set<QString> runs;
    qsizetype files = 0;
    qsizetype failed = 0;
    qsizetype warned = 0;
    QStringList placed;
    for (const Entry& entry : entries) {
        runs.insert(entry.runs.begin(), entry.runs.end());
        files += entry.severity == kFailed ? 0 : entry.files;
        failed += entry.severity == kFailed ? entry.files : 0;
        warned += entry.severity == kWarned ? 1 : 0;
        if (!entry.placed.isEmpty())
            placed.append(entry.placed);
    }
    QStringList parts;
    if (files > 0)
        parts.append(QStringLiteral("%1 from %2")
                         .arg(countedText(std::ssize(runs), "run"), countedText(files, "file")));
    if (placed.size() == 1)
        parts.append(placed.first());
    else if (placed.size() > 1)
        parts.append(QStringLiteral("%1 logs placed by power").arg(placed.size()));
    if (warned > 0)
        parts.append(countedText(warned, "source")
            + QLatin1String(warned == 1 ? " has warnings" : " have warnings"));
    if (failed > 0)
        parts.append(countedText(failed, "file")
            + QLatin1String(failed == 1 ? " was not imported" : " were not imported"));
    return parts.join(QStringLiteral("; "));
}

QStringList ImportReportModel::warnings() const {
    std::vector<ImportWarning> all;
    for (const Entry& entry : rows())
        all.insert(all.end(), entry.told.begin(), entry.told.end());
    return count() > 1 ? warningTexts(all) : QStringList();
}

QString ImportReportModel::text() const {
    QStringList lines{headline()};
    lines << m_runs;
    for (const auto& entry : rows()) {
        lines << QString() << entry.path << entry.origin << entry.verdict;
        for (int i = 0; i < entry.factLabels.size(); ++i)
            lines << QStringLiteral("  %1: %2").arg(entry.factLabels[i], entry.factValues.value(i));
        for (const auto& warning : entry.warnings)
            lines << QStringLiteral("  ! %1").arg(warning);
    }
    return lines.join(QLatin1Char('\n'));
}

} // namespace trainscope::app
