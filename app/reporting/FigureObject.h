#pragma once
// Figures as characters of a text document, drawn as vectors.

#include "core/plot/PlotScene.h"
#include "core/plot/Theme.h"

#include <QObject>
#include <QTextObjectInterface>

#include <vector>

namespace trainscope::app {

inline constexpr int kFigureObject = QTextFormat::UserObject + 1; // the format's object type
inline constexpr int kFigureIndex = QTextFormat::UserProperty + 1; // index of the scene

class FigureObject : public QObject, public QTextObjectInterface {
    Q_OBJECT
    Q_INTERFACES(QTextObjectInterface)

public:
    // One unit of a scene is one of the document; a higher one than `most` is made smaller. The
    // theme must outlive this.
    FigureObject(std::vector<plot::PlotScene> scenes, const plot::Theme& theme, double most)
        : m_scenes(std::move(scenes))
        , m_theme(theme)
        , m_most(m_scenes.size(), most) { }

    [[nodiscard]] double heightOf(std::size_t figure) const;
    void setMost(std::size_t figure, double most) { m_most[figure] = most; }

    QSizeF intrinsicSize(QTextDocument*, int, const QTextFormat& format) override;
    void drawObject(QPainter* painter, const QRectF& rect, QTextDocument*, int,
        const QTextFormat& format) override;

private:
    std::vector<plot::PlotScene> m_scenes;
    const plot::Theme& m_theme;
    std::vector<double> m_most; // by scene
};

} // namespace trainscope::app
