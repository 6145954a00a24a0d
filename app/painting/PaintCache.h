#pragma once
// Pictures of dense columns that later scenes show again, moved: while a view is panned only what
// comes into sight is filled. Belongs to one view; one thread.

#include <QImage>

#include <cstdint>
#include <unordered_map>

namespace trainscope::app {

class PaintCache {
public:
    struct Picture {
        QImage image;
        std::int64_t firstColumn = 0;
        std::size_t series = 0;
        bool used = false;
    };

    // Of that content (plot::Columns); empty at first. 0: one that is not kept.
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

} // namespace trainscope::app
