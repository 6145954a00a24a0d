#include "app/viewmodels/importing/GroupWording.h"

#include "app/viewmodels/text/Texts.h"
#include "core/text/NumberMarks.h"
#include "core/text/Numbers.h"
#include "core/text/Times.h"
#include "importers/common/RunFolders.h"
#include "importers/launch/LaunchFile.h"
#include "importers/registry/Registry.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>

namespace trainscope::app {

namespace {

using importers::ClockKind;
using importers::ImportUnit;

const QString kParting = QStringLiteral(" · ");

// "8 Kineto traces, 1 configuration", in the order of the formats.
QString kindsText(const std::vector<const ImportRow*>& rows) {
    std::vector<std::pair<const importers::Importer*, std::int64_t>> files;
    std::set<std::string> configurations;
    for (const importers::Importer* importer : importers::registry())
        files.emplace_back(importer, 0);
    for (const ImportRow* row : rows) {
        const auto& unit = row->unit;
        configurations.insert(unit.launchFiles.begin(), unit.launchFiles.end());
        for (auto& [importer, count] : files) {
            if (importer->format.id != unit.importer)
                continue;
            for (const std::string& file : unit.files) {
                if (importer->format.launch == importers::LaunchSettings::OwnFiles
                    && importers::launch::launchKindOf(file))
                    configurations.insert(file);
                else
                    ++count;
            }
        }
    }
    QStringList kinds;
    for (const auto& [importer, count] : files) {
        if (count > 0)
            kinds.append(QString::fromStdString(
                text::counted(count, importer->format.oneFile, importer->format.manyFiles)));
    }
    const auto databases = std::count_if(
        rows.begin(), rows.end(), [](const ImportRow* row) { return isRunDatabase(row->unit); });
    if (databases > 0)
        kinds.append(QString::fromStdString(text::counted(databases, std::string(kRunDatabase))));
    if (!configurations.empty())
        kinds.append(QString::fromStdString(
            text::counted(static_cast<std::int64_t>(configurations.size()), "configuration")));
    return kinds.join(QStringLiteral(", "));
}

// Ranks that single sources are of, against those that they expect; else what the only source says
// of itself.
QString sourceRanks(const std::vector<const ImportRow*>& rows) {
    std::set<int> ranks;
    int expected = 0;
    QStringList summaries;
    for (const ImportRow* row : rows) {
        if (row->unit.rank)
            ranks.insert(*row->unit.rank);
        expected = std::max(expected, row->unit.rank ? row->unit.worldSize : 0);
        if (!row->unit.rank && !row->unit.summary.empty())
            summaries.append(shownLine(row->unit.summary));
    }
    summaries.removeDuplicates();
    QStringList parts;
    if (!ranks.empty()) {
        const auto list = QString::fromStdString(text::numberList(ranks));
        const QString named
            = ranks.size() == 1 ? QStringLiteral("rank %1") : QStringLiteral("ranks %1");
        parts.append(
            named.arg(list) + (expected > 0 ? QStringLiteral(" of %1").arg(expected) : QString()));
    }
    if (summaries.size() == 1)
        parts.append(summaries);
    return parts.join(kParting);
}

std::optional<TimeNs> startOf(const ImportUnit& unit) {
    if (!unit.start || unit.clock != ClockKind::Local)
        return unit.start;
    return *unit.start - DurationNs{unit.utcOffsetSeconds.value_or(0) * text::kSecond};
}

QString startText(const std::vector<const ImportRow*>& rows) {
    std::optional<TimeNs> first;
    for (const ImportRow* row : rows) {
        const auto start = startOf(row->unit);
        if (start && (!first || *start < *first))
            first = start;
    }
    if (!first || !text::isDated(*first))
        return {};
    return QStringLiteral("starts %1 %2 UTC")
        .arg(QString::fromStdString(text::withDateForm(text::date(*first, 0))),
            QString::fromStdString(text::clock(*first, 0, 0)));
}

QString remarksText(const std::vector<const ImportRow*>& rows) {
    std::set<std::string> remarks;
    for (const ImportRow* row : rows)
        remarks.insert(row->unit.notes.begin(), row->unit.notes.end());
    return remarks.empty() ? QString()
                           : QString::fromStdString(
                               text::counted(static_cast<std::int64_t>(remarks.size()), "remark"));
}

// The model that its GPUs were recorded with, or that names tell.
QString gpusText(const std::vector<const ImportRow*>& rows) {
    QStringList models;
    for (const ImportRow* row : rows) {
        const std::string said = row->saidOf("gpu");
        models.append(shownLine(said.empty() ? row->gpuHint : said));
    }
    models.removeAll(QString());
    models.removeDuplicates();
    return models.size() == 1 ? models.front() : QString();
}

} // namespace

std::vector<const ImportRow*> toldOf(const std::vector<const ImportRow*>& rows) {
    std::vector<const ImportRow*> enabled;
    std::copy_if(rows.begin(), rows.end(), std::back_inserter(enabled),
        [](const ImportRow* row) { return row->unit.enabled; });
    return enabled.empty() ? rows : enabled;
}

QString groupResult(const std::vector<const ImportRow*>& rows) {
    const auto told = toldOf(rows);
    QStringList parts{sourceRanks(told), gpusText(told), startText(told)};
    parts.removeAll(QString());
    return parts.join(kParting);
}

QString groupDetail(const std::vector<const ImportRow*>& rows) {
    const auto told = toldOf(rows);
    QStringList parts{kindsText(told)};
    if (told.size() < rows.size())
        parts.append(QStringLiteral("%1 left out").arg(rows.size() - told.size()));
    parts.append(remarksText(rows));
    parts.removeAll(QString());
    return parts.join(kParting);
}

QStringList groupRemarks(const std::vector<const ImportRow*>& rows) {
    std::vector<std::string> order;
    std::map<std::string, std::vector<const ImportRow*>> sources;
    for (const ImportRow* row : rows) {
        for (const std::string& note : row->unit.notes) {
            if (!sources.contains(note))
                order.push_back(note);
            sources[note].push_back(row);
        }
    }
    QStringList lines;
    for (const std::string& note : order) {
        const auto& of = sources[note];
        const auto text = shownLine(note);
        if (rows.size() == 1)
            lines.append(text);
        else if (of.size() == 1)
            lines.append(QStringLiteral("%1: %2").arg(shownLine(of.front()->unit.path), text));
        else
            lines.append(QStringLiteral("%1 sources: %2").arg(of.size()).arg(text));
    }
    return lines;
}

std::string sourceName(const ImportUnit& unit) {
    const std::string name(importers::withoutSuffixes(unit.path));
    return name.empty() ? unit.runName : name;
}

} // namespace trainscope::app
