#include "app/viewmodels/importing/ImportGroupModel.h"
#include "app/viewmodels/text/Texts.h"
#include "core/text/NumberMarks.h"
#include "core/text/Times.h"
#include "importers/common/RunFolders.h"
#include "importers/launch/LaunchFiles.h"
#include "importers/registry/Registry.h"

#include <QVariantMap>

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
    const auto databases = std::ranges::count_if(
        rows, [](const ImportRow* row) { return isRunDatabase(row->unit); });
    if (databases > 0)
        kinds.append(countedText(databases, kRunDatabase));
    if (!configurations.empty())
        kinds.append(countedText(std::ssize(configurations), "configuration"));
    return kinds.join(QStringLiteral(", "));
}

// Ranks that single sources are of, against those that they expect; else the facts of the only
// source.
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
    return remarks.empty() ? QString() : countedText(std::ssize(remarks), "remark");
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

// Those to be imported, or all where none is.
std::vector<const ImportRow*> toldOf(const std::vector<const ImportRow*>& rows) {
    std::vector<const ImportRow*> enabled;
    std::copy_if(rows.begin(), rows.end(), std::back_inserter(enabled),
        [](const ImportRow* row) { return row->unit.enabled; });
    return enabled.empty() ? rows : enabled;
}

// "ranks 0-7 of 8 · 8 GPUs, 12 metrics · NVIDIA H100 · starts 2026-04-22 00:03:09 UTC"; what is
// left out counts only where all is.
QString groupResult(const std::vector<const ImportRow*>& rows) {
    const auto told = toldOf(rows);
    QStringList parts{sourceRanks(told), gpusText(told), startText(told)};
    parts.removeAll(QString());
    return parts.join(kParting);
}

// "8 Kineto traces, 2 nvidia-smi logs, 1 configuration · 2 remarks".
QString groupDetail(const std::vector<const ImportRow*>& rows) {
    const auto told = toldOf(rows);
    QStringList parts{kindsText(told)};
    if (told.size() < rows.size())
        parts.append(QStringLiteral("%1 left out").arg(rows.size() - told.size()));
    parts.append(remarksText(rows));
    parts.removeAll(QString());
    return parts.join(kParting);
}

using Of = ImportField::Of;

// Texts of the rows, each once.
template <typename Of>
std::vector<std::string> textsOf(const std::vector<const ImportRow*>& rows, const Of& of) {
    std::vector<std::string> texts;
    for (const ImportRow* row : rows) {
        if (std::string text = of(*row); std::ranges::find(texts, text) == texts.end())
            texts.push_back(std::move(text));
    }
    return texts;
}

QVariantMap cellOf(const ImportField& field, const std::vector<const ImportRow*>& open) {
    const auto values = textsOf(open, [&](const ImportRow& row) { return textOf(field, row); });
    const auto hint = [&](const ImportRow& row) {
        const std::string said = values.size() > 1 ? textOf(field, row) : std::string();
        return said.empty() ? field.hint(row) : said;
    };
    const bool isFaulty = std::ranges::any_of(
        open, [&](const ImportRow* row) { return row->faulty.contains(field.key); });
    QStringList choices;
    for (const std::string_view choice : field.choices)
        choices.append(textOf(choice));
    return {{QStringLiteral("key"), textOf(field.key)},
        {QStringLiteral("label"), textOf(field.label)},
        {QStringLiteral("value"), values.size() == 1 ? shownLine(values.front()) : QString()},
        {QStringLiteral("hint"), shownLine(importers::listNames(textsOf(open, hint), 3))},
        {QStringLiteral("choices"), choices}, {QStringLiteral("faulty"), isFaulty},
        {QStringLiteral("pressing"), field.isPressing || isFaulty}};
}

} // namespace

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

QVariantList cellsOf(
    const std::vector<const ImportRow*>& sources, std::initializer_list<ImportField::Of> rows) {
    QVariantList cells;
    const auto told = toldOf(sources);
    for (const ImportField& field : importFields()) {
        if (std::ranges::find(rows, field.of) == rows.end())
            continue;
        std::vector<const ImportRow*> open;
        std::ranges::copy_if(told, std::back_inserter(open), [&](const ImportRow* row) {
            return field.isOpen(*row) || row->faulty.contains(field.key);
        });
        if (!open.empty())
            cells.append(cellOf(field, open));
    }
    return cells;
}

ImportGroupRow rowOfRun(const std::vector<const ImportRow*>& sources) {
    ImportGroupRow line;
    std::uint64_t bytes = 0;
    std::size_t selected = 0;
    for (const ImportRow* source : sources) {
        bytes += source->unit.bytes;
        selected += source->unit.enabled ? 1 : 0;
        if (source->unit.enabled && line.problem.isEmpty())
            line.problem = ImportPlanModel::problemOf(*source);
    }
    const auto& first = sources.front()->unit;
    line.isMachine = first.machine.has_value();
    line.isDatabase = isRunDatabase(first);
    line.title = line.run = shownLine(line.isDatabase ? first.path : importers::runText(first));
    line.runFaulty = line.title.trimmed().isEmpty();
    line.result = groupResult(sources);
    line.detail = groupDetail(sources);
    line.sizeText = bytesText(bytes);
    line.checkState = selected == 0  ? Qt::Unchecked
        : selected == sources.size() ? Qt::Checked
                                     : Qt::PartiallyChecked;
    line.fields = sources.size() == 1 ? cellsOf(sources, {Of::Both, Of::Run, Of::Source})
                                      : cellsOf(sources, {Of::Both, Of::Run});
    return line;
}

ImportGroupRow rowOfSource(const ImportRow& source) {
    const auto& unit = source.unit;
    ImportGroupRow line;
    line.isMachine = unit.machine.has_value();
    line.isDatabase = isRunDatabase(unit);
    line.title = unit.path.empty() ? QStringLiteral("(the dropped folder)") : shownLine(unit.path);
    if (!unit.part.empty())
        line.title = QStringLiteral("%1 (%2)").arg(line.title, shownLine(unit.part));
    line.detail = shownLine(unit.summary);
    line.problem = unit.enabled ? ImportPlanModel::problemOf(source) : QString();
    line.run
        = line.isDatabase ? QStringLiteral("all its runs") : shownLine(importers::runText(unit));
    line.runFaulty = line.run.trimmed().isEmpty() || !source.misfit.isEmpty();
    line.sizeText = bytesText(unit.bytes);
    line.checkState = unit.enabled ? Qt::Checked : Qt::Unchecked;
    line.fields = cellsOf({&source}, {Of::Both, Of::Source});
    return line;
}

} // namespace trainscope::app
