#include "app/viewmodels/inspector/AskedTables.h"

#include "app/viewmodels/text/Texts.h"

#include <utility>

namespace trainscope::app {

AskedTables::AskedTables(Words words, std::size_t tables, bool isOfWholeRuns)
    : m_words(std::move(words))
    , m_isOfWholeRuns(isOfWholeRuns)
    , m_tables(tables) {
    for (TableModel& table : m_tables)
        connect(&table, &TableModel::selected, this, [this](const report::RowSource& source) {
            if (!source.name.empty() && source.run < m_places.size())
                Q_EMIT rowSelected(m_places[source.run], source.name);
        });
}

QVariantList AskedTables::tables() {
    QVariantList tables;
    for (TableModel& table : m_tables)
        tables.append(QVariant::fromValue(&table));
    return tables;
}

void AskedTables::setAvailable(bool available) {
    m_isAvailable = available;
    Q_EMIT changed();
}

void AskedTables::setAsked(bool asked) {
    if (asked == std::exchange(m_isAsked, asked))
        return;
    clear();
    Q_EMIT askedChanged();
}

void AskedTables::say(const QString& text) {
    m_text = text;
    Q_EMIT changed();
}

void AskedTables::clear() {
    fill({});
    say({});
}

void AskedTables::fill(const AskedReading& reading) {
    m_places = reading.places;
    for (std::size_t i = 0; i < m_tables.size(); ++i)
        m_tables[i].setTable(
            i < reading.tables.size() ? reading.tables[i] : report::SourcedTable());
}

void AskedTables::show(const Result<AskedReading>& reading) {
    if (!isAsked())
        return;
    const AskedReading made = reading.valueOr(AskedReading{});
    fill(made);
    say(!reading.hasValue()                      ? shownText(reading.error())
            : m_tables.front().table().isEmpty() ? made.whyNothing
                                                 : QString());
}

} // namespace trainscope::app
