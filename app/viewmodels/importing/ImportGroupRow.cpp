#include "app/viewmodels/importing/GroupWording.h"
#include "app/viewmodels/importing/ImportGroupModel.h"
#include "app/viewmodels/text/HumanText.h"
#include "app/viewmodels/text/Texts.h"

#include <QStringList>
#include <QVariantMap>

#include <algorithm>
#include <iterator>

namespace trainscope::app {

namespace {

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
    const bool isFaulty = std::any_of(open.begin(), open.end(),
        [&](const ImportRow* row) { return row->faulty.contains(field.key); });
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

QVariantList cellsOf(
    const std::vector<const ImportRow*>& sources, std::initializer_list<ImportField::Of> rows) {
    QVariantList cells;
    const auto told = toldOf(sources);
    for (const ImportField& field : importFields()) {
        if (std::find(rows.begin(), rows.end(), field.of) == rows.end())
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
