#pragma once
// Replays a PlotScene with a QPainter: the one drawing path for the screen, PNG, PDF and SVG.

#include "app/painting/SceneText.h"
#include "core/plot/PlotScene.h"
#include "core/plot/Theme.h"

#include <QColor>
#include <QImage>
#include <QPainter>

#include <cstdint>
#include <unordered_map>

namespace trainscope::app {

// Screen: dense items go straight into images. Vector: everything is a path or a text.
enum class PaintTarget { Screen, Vector };

// Pictures of dense columns that later scenes show again, moved: while a view is panned only what
// comes into sight is filled. Belongs to one view; one thread.
class PaintCache {
public:
    struct Picture {
        QImage image;
        std::int64_t firstColumn = 0;
        std::size_t series = 0;
        bool used = false;
    };

    // The picture of that content (plot::Columns), empty at first; of 0 one that is not kept.
    Picture& picture(std::uint64_t content) {
        if (content == 0) {
            m_passing = {};
            return m_passing;
        }
        Picture& picture = m_pictures[content];
        picture.used = true;
        return picture;
    }
    // Call after each scene: drops what it did not show.
    void endScene() {
        std::erase_if(m_pictures, [](const auto& entry) { return !entry.second.used; });
        for (auto& entry : m_pictures)
            entry.second.used = false;
        m_passing = {};
    }

private:
    std::unordered_map<std::uint64_t, Picture> m_pictures;
    Picture m_passing;
};

inline QColor toQt(plot::Color color) {
    return QColor(color.r, color.g, color.b, color.a);
}
inline QRectF toQt(const plot::Rect& rect) {
    return {rect.x, rect.y, rect.width, rect.height};
}
inline QPointF toQt(plot::Point point) {
    return {point.x, point.y};
}

// A view that paints scene after scene hands its cache in.
void paintScene(const plot::PlotScene& scene, const plot::Theme& theme, QPainter& painter,
    PaintTarget target, PaintCache* cache = nullptr);

} // namespace trainscope::app
