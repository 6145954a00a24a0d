// Pictures of the view Operators, the words below them, and their export.
#include "app/viewmodels/operators/OperatorsController.h"
#include "app/viewmodels/text/HumanText.h"
#include "app/viewmodels/text/RunWording.h"
#include "app/viewmodels/text/TextOf.h"

#include <algorithm>
#include <utility>

namespace trainscope::app {

figures::Figure OperatorsController::figureOf(OperatorsPicture picture) const {
    if (m_answer->difference)
        return figures::differenceFigure(m_answer->difference);
    if (picture == OperatorsPicture::Roofline)
        return figures::rooflineFigure(m_answer->roofline);
    if (picture == OperatorsPicture::Bars)
        return figures::operatorTableFigure(m_answer->table);
    auto flame
        = figures::flameOf(*m_answer->reading, m_answer->work, m_root, m_settings.flame.colouring);
    if (m_answer->question.by == OperatorsBy::Tree)
        flame.found = m_answer->outline.found();
    return figures::flameFigure(std::make_shared<const plot::FlameFigureData>(std::move(flame)));
}

figures::Figure OperatorsController::figure() const {
    return figureOf(m_settings.picture);
}

plot::OperatorsHead OperatorsController::head() const {
    if (!m_answer)
        return {};
    if (m_answer->difference)
        return m_answer->difference->head;
    if (m_settings.picture == OperatorsPicture::Roofline)
        return m_answer->roofline->head;
    if (m_settings.picture == OperatorsPicture::Bars)
        return m_answer->table->head;
    return figures::flameOf(*m_answer->reading, m_answer->work, m_root, m_settings.flame.colouring)
        .head;
}

bool OperatorsController::isReady() const {
    if (!m_answer || !m_answer->reading->work)
        return false;
    if (m_answer->difference)
        return !m_answer->difference->isEmpty();
    if (m_settings.picture == OperatorsPicture::Roofline)
        return !m_answer->roofline->isEmpty();
    if (m_settings.picture == OperatorsPicture::Bars)
        return !m_answer->table->isEmpty();
    return m_answer->reading->emptyText().empty();
}

QString OperatorsController::emptyText() const {
    if (!isAtRest())
        return {};
    if (workspace()->runs().empty())
        return noRunsText();
    if (shownRun() == nullptr)
        return chooseRunText();
    return m_answer && !isReady() ? QString::fromStdString(head().emptyText) : QString();
}

QString OperatorsController::title() const {
    return QString::fromStdString(head().title);
}

QString OperatorsController::caption() const {
    return QString::fromStdString(head().caption);
}

QString OperatorsController::notes() const {
    return linesOf(head().notes);
}

// The picture that is shown stands first.
std::vector<OperatorsPicture> OperatorsController::pictures() const {
    if (!isReady())
        return {};
    std::vector<OperatorsPicture> all{m_settings.picture};
    if (m_answer->difference)
        return all;
    for (const auto picture :
        {OperatorsPicture::Flame, OperatorsPicture::Roofline, OperatorsPicture::Bars}) {
        const bool isEmpty
            = (picture == OperatorsPicture::Roofline && m_answer->roofline->isEmpty())
            || (picture == OperatorsPicture::Bars && m_answer->table->isEmpty());
        if (picture != m_settings.picture && !isEmpty)
            all.push_back(picture);
    }
    return all;
}

QStringList OperatorsController::figureTitles() const {
    QStringList titles;
    for (const auto picture : pictures()) {
        titles.push_back(m_answer->difference           ? QStringLiteral("Differences")
                : picture == OperatorsPicture::Flame    ? QStringLiteral("Flame graph")
                : picture == OperatorsPicture::Roofline ? QStringLiteral("Roofline")
                                                        : QStringLiteral("Bars"));
    }
    return titles;
}

void OperatorsController::setFigureIndex(int figure) {
    if (figure == m_exported)
        return;
    m_exported = figure;
    Q_EMIT stateChanged();
}

ExportJob OperatorsController::exportJob() const {
    const auto offered = pictures();
    if (offered.empty())
        return {};
    const auto chosen
        = static_cast<std::size_t>(std::clamp(m_exported, 0, static_cast<int>(offered.size()) - 1));
    const auto shown = figureOf(offered[chosen]);
    return exportJobOf(textOf(shown.kind), shown);
}

QString OperatorsController::csv() const {
    return m_answer ? operatorCsv(m_answer->outline, m_rows.heads().titles().value(0)) : QString();
}

} // namespace trainscope::app
