#include "app/viewmodels/layout/LayoutHover.h"

namespace trainscope::app {

LayoutHover::LayoutHover(LayoutContext& context, LayoutDiagrams& diagrams, QObject* parent)
    : QObject(parent)
    , m_context(context)
    , m_diagrams(diagrams) { }

void LayoutHover::hoverAt(LayoutDiagrams::Part part, double x, double y) {
    const auto hit = m_diagrams.hitAt(part, x, y);
    if (!hit)
        return leave();
    const bool isSame = isSomewhere() && m_part == part && hit->rank && hit->text.title.isEmpty()
        && m_context.hoverRank == hit->rank;
    if (isSame)
        return;
    m_part = part;
    take(*hit);
}

void LayoutHover::leave() {
    if (isSomewhere() || m_context.hoverRank)
        take({});
}

void LayoutHover::take(const LayoutDiagrams::Hit& hit) {
    const bool isLitAnew = hit.rank != m_context.hoverRank;
    m_hit = hit;
    m_context.hoverRank = hit.rank;
    m_text = wording();
    Q_EMIT changed();
    if (isLitAnew)
        Q_EMIT m_diagrams.marksChanged();
}

HoverText LayoutHover::wording() const {
    if (!m_context.reading || !m_hit.text.title.isEmpty())
        return m_hit.text;
    if (m_hit.rank)
        return rankHover(
            m_context.reading->figure, m_context.colours, *m_hit.rank, m_context.settings.lit);
    return m_hit.edge ? edgeHover(m_context.reading->figure, *m_hit.edge) : HoverText();
}

void LayoutHover::refresh() {
    if (!m_hit.rank)
        return;
    m_text = wording();
    Q_EMIT changed();
}

} // namespace trainscope::app
