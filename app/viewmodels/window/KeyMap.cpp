#include "app/viewmodels/window/KeyMap.h"

#include "app/viewmodels/text/Texts.h"

#include "app/manual/Keys.h"

#include <algorithm>
#include <string_view>

namespace trainscope::app {

namespace {

QString shown(const KeyEntry& entry) {
    return QString::fromStdString(shownKeys(entry));
}

const KeyEntry* find(const QString& id) {
    const auto wanted = id.toStdString();
    const auto entries = keyEntries();
    const auto found = std::ranges::find(entries, wanted, &KeyEntry::id);
    return found == entries.end() ? nullptr : &*found;
}

} // namespace

KeyMap::KeyMap(QObject* parent)
    : RowListModel(
        {{"group", &KeyLine::group}, {"keys", &KeyLine::keys}, {"action", &KeyLine::action}},
        parent) {
    std::vector<KeyLine> lines;
    std::string_view group;
    for (const auto& entry : keyEntries()) {
        lines.push_back({entry.group == group ? QString() : textOf(entry.group), shown(entry),
            textOf(entry.action)});
        group = entry.group;
    }
    resetRows(std::move(lines));
}

QVariantList KeyMap::sequences(const QString& id) const {
    const auto* entry = find(id);
    if (entry == nullptr)
        return {};
    QVariantList sequences;
    const auto texts = QString::fromLatin1(entry->sequences);
    for (const auto& text : texts.split(QLatin1Char(' '), Qt::SkipEmptyParts))
        sequences.append(text);
    return sequences;
}

QString KeyMap::hint(const QString& id) const {
    const auto* entry = find(id);
    return entry == nullptr ? QString() : shown(*entry).section(QLatin1Char(' '), 0, 0);
}

} // namespace trainscope::app
