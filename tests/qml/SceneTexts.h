#pragma once
// The texts that stand in a window, and what a reader would stumble over: ends that are cut off,
// and texts over each other. For QML tests.

#include <QObject>
#include <QQuickItem>
#include <QQuickWindow>
#include <QRectF>
#include <QString>
#include <QStringList>

#include <optional>
#include <vector>

class SceneTexts : public QObject {
    Q_OBJECT

public:
    // In words, one line each; texts that are shortened by "…" on purpose are whole.
    Q_INVOKABLE static QStringList problems(QQuickWindow* window) {
        std::vector<Seen> seen;
        const QRectF all(0.0, 0.0, window->width(), window->height());
        collect(*window->contentItem(), all, false, seen);
        QStringList found;
        for (const Seen& text : seen) {
            if (text.isCut)
                found.append(QStringLiteral("cut off: ") + text.words);
        }
        for (std::size_t i = 0; i < seen.size(); ++i) {
            for (std::size_t k = i + 1; k < seen.size(); ++k) {
                const QRectF common = seen[i].ink.intersected(seen[k].ink);
                if (common.width() > kSlack && common.height() > kSlack)
                    found.append(QStringLiteral("over each other: ") + seen[i].words
                        + QStringLiteral(" | ") + seen[k].words);
            }
        }
        return found;
    }
    // How many texts can be read: a scene without any proves nothing.
    Q_INVOKABLE static int count(QQuickWindow* window) {
        std::vector<Seen> seen;
        collect(*window->contentItem(), QRectF(0.0, 0.0, window->width(), window->height()), false,
            seen);
        return static_cast<int>(seen.size());
    }

private:
    static constexpr qreal kSlack = 2.0; // lines may touch by their leading

    struct Seen {
        QString words;
        QRectF ink; // in the window, as far as it is shown
        bool isCut = false;
    };

    static void collect(
        QQuickItem& item, const QRectF& shown, bool isScrolled, std::vector<Seen>& seen) {
        if (!item.isVisible() || item.opacity() <= 0.0)
            return;
        QRectF inside = shown;
        const QRectF own = item.mapRectToScene(QRectF(0.0, 0.0, item.width(), item.height()));
        // What is scrolled may end at the edge of its list.
        const bool scrolls = isScrolled || item.inherits("QQuickFlickable");
        if (item.clip())
            inside = inside.intersected(own);
        if (item.inherits("QQuickText") && !item.property("text").toString().isEmpty())
            add(item, inside, scrolls, seen);
        for (QQuickItem* child : item.childItems())
            collect(*child, inside, scrolls, seen);
    }

    static void add(
        QQuickItem& text, const QRectF& shown, bool isScrolled, std::vector<Seen>& seen) {
        const QSizeF size(
            text.property("contentWidth").toReal(), text.property("contentHeight").toReal());
        QRectF ink(QPointF(), size);
        ink.moveLeft(offset(text.property("effectiveHorizontalAlignment").toInt(), Qt::AlignRight,
            Qt::AlignHCenter, text.width() - size.width()));
        ink.moveTop(offset(text.property("verticalAlignment").toInt(), Qt::AlignBottom,
            Qt::AlignVCenter, text.height() - size.height()));
        const QRectF placed = text.mapRectToScene(ink);
        const QRectF visible = placed.intersected(shown);
        if (visible.isEmpty())
            return;
        const bool isCut = !isScrolled
            && (placed.width() - visible.width() > kSlack
                || placed.height() - visible.height() > kSlack);
        seen.push_back({text.property("text").toString(), visible, isCut});
    }

    static qreal offset(int alignment, int atEnd, int inMiddle, qreal room) {
        if ((alignment & atEnd) != 0)
            return room;
        return (alignment & inMiddle) != 0 ? room / 2.0 : 0.0;
    }
};
