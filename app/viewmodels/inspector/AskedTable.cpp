#include "app/viewmodels/inspector/AskedTable.h"

#include "app/viewmodels/text/ShownText.h"

#include <utility>

namespace trainscope::app {

AskedFigures::AskedFigures(QString doing, QObject* parent)
    : QObject(parent)
    , m_doing(std::move(doing)) { }

void AskedFigures::setAsked(bool asked) {
    if (asked == m_isAsked)
        return;
    m_isAsked = asked;
    clear();
    Q_EMIT askedChanged();
}

void AskedFigures::say(const QString& text) {
    m_text = text;
    Q_EMIT changed();
}

void AskedFigures::clear() {
    showNothing();
    say({});
}

AskedTable::AskedTable(QObject* parent)
    : AskedFigures(QStringLiteral("Reading what ran then…"), parent) {
    connect(&m_figures, &TableModel::selected, this, [this](const report::RowSource& source) {
        if (!source.name.empty() && source.run < m_places.size())
            Q_EMIT rowSelected(m_places[source.run], source.name);
    });
}

void AskedTable::show(const Result<AskedReading>& reading) {
    if (!isAsked())
        return;
    const AskedReading made = reading.valueOr(AskedReading{});
    m_places = made.places;
    m_figures.setTable(made.made);
    say(!reading.hasValue()               ? shownText(reading.error())
            : m_figures.table().isEmpty() ? made.whyNothing
                                          : QString());
}

} // namespace trainscope::app
