#include "app/viewmodels/inspector/AskedTable.h"

#include "app/viewmodels/text/ShownText.h"

namespace trainscope::app {

AskedTable::AskedTable(QObject* parent)
    : QObject(parent) {
    connect(&m_figures, &TableModel::selected, this, [this](const report::RowSource& source) {
        if (!source.name.empty() && source.run < m_places.size())
            Q_EMIT rowSelected(m_places[source.run], source.name);
    });
}

void AskedTable::setAsked(bool asked) {
    if (asked == m_isAsked)
        return;
    m_isAsked = asked;
    clear();
    Q_EMIT askedChanged();
}

void AskedTable::showDoing() {
    m_text = QStringLiteral("Reading what ran then…");
    Q_EMIT changed();
}

void AskedTable::show(const Result<AskedReading>& reading) {
    if (!m_isAsked)
        return;
    const AskedReading made = reading.valueOr(AskedReading{});
    m_places = made.places;
    m_figures.setTable(made.made);
    m_text = !reading.hasValue()      ? shownText(reading.error())
        : m_figures.table().isEmpty() ? made.whyNothing
                                      : QString();
    Q_EMIT changed();
}

void AskedTable::clear() {
    m_figures.setTable(text::Table());
    m_text.clear();
    Q_EMIT changed();
}

} // namespace trainscope::app
