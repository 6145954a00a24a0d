#pragma once
// The texts that stand in a window, and what a reader would stumble over: ends that are cut off or
// shortened, texts over each other, and texts that hardly differ from what is under them. For QML
// tests.

#include <QColor>
#include <QHash>
#include <QImage>
#include <QObject>
#include <QQuickItem>
#include <QQuickWindow>
#include <QRectF>
#include <QString>
#include <QStringList>

#include "core/plot/Palette.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <vector>

class SceneTexts : public QObject {
    Q_OBJECT

public:
    // In words, one line each; of all that stands in the window, or in an item of it.
    Q_INVOKABLE static QStringList problems(QQuickWindow* window, QQuickItem* within = nullptr) {
        const auto seen = textsOf(*window, within);
        QStringList found;
        for (const Seen& text : seen) {
            if (!text.problem.isEmpty())
                found.append(text.problem + QStringLiteral(": ") + text.words);
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
    // The texts whose contrast with the most frequent colour under them, as painted, is below 4.5.
    // Those of disabled controls are exempt, as in WCAG 2.1, 1.4.3, and lines that are half
    // scrolled away: the ring of the focus may lie over what is left of them.
    Q_INVOKABLE static QStringList faint(QQuickWindow* window, QQuickItem* within = nullptr) {
        const QImage image = window->grabWindow().convertToFormat(QImage::Format_RGB32);
        const qreal scale = image.width() / static_cast<qreal>(window->width());
        QStringList found;
        for (const Seen& text : textsOf(*window, within)) {
            const QRect area = QRectF(text.ink.topLeft() * scale, text.ink.size() * scale)
                                   .toAlignedRect()
                                   .intersected(image.rect());
            if (!text.isEnabled || text.isHalfScrolledAway || area.isEmpty())
                continue;
            const QColor under = mostFrequent(image, area);
            const double measured = contrast(blended(under, text.color, text.opacity), under);
            if (measured < kReadable)
                found.append(QStringLiteral("contrast %1 on %2: %3")
                                 .arg(measured, 0, 'f', 2)
                                 .arg(under.name(), text.words));
        }
        return found;
    }
    // Number of texts that can be read below an item: a scene without any proves nothing.
    Q_INVOKABLE static int count(QQuickItem* item) {
        std::vector<Seen> seen;
        collect(*item, {item->mapRectToScene(QRectF(QPointF(), item->size()))}, seen);
        return static_cast<int>(seen.size());
    }
    // The view that is shown: the item with a body and what can be exported.
    Q_INVOKABLE static QQuickItem* page(QQuickWindow* window) {
        return pageBelow(*window->contentItem());
    }
    // The sheets that can be opened over what is shown, those of hidden views left out.
    Q_INVOKABLE static QList<QObject*> sheets(QQuickWindow* window) {
        QList<QObject*> found;
        collectSheets(*window, found);
        collectSheets(*window->contentItem(), found);
        return found;
    }
    Q_INVOKABLE static double contrast(const QColor& a, const QColor& b) {
        return trainscope::plot::contrast(plain(a), plain(b));
    }
    // The text of one item is painted this much over another colour.
    Q_INVOKABLE static QColor blended(const QColor& under, const QColor& over, qreal share) {
        const auto mixed = trainscope::plot::blend(plain(under), plain(over), share);
        return {mixed.r, mixed.g, mixed.b};
    }

private:
    static constexpr qreal kSlack = 2.0; // lines may touch by their leading
    static constexpr double kReadable = 4.5;
    static constexpr int kElideMiddle = 2; // QQuickText's

    struct Seen {
        QString words;
        QRectF ink; // in the window, as far as it is shown
        QColor color;
        qreal opacity = 1.0;
        bool isEnabled = true;
        bool isHalfScrolledAway = false;
        QString problem; // empty: none
    };
    // Inherited state of an item: that of all that it stands in.
    struct Place {
        QRectF shown;
        bool scrollsX = false; // scrolled texts may end at the edge of their list
        bool scrollsY = false;
        qreal opacity = 1.0;
    };

    static std::vector<Seen> textsOf(QQuickWindow& window, QQuickItem* within) {
        std::vector<Seen> seen;
        collect(within == nullptr ? *window.contentItem() : *within,
            {QRectF(QPointF(), window.size())}, seen);
        return seen;
    }

    static void collect(QQuickItem& item, Place place, std::vector<Seen>& seen) {
        if (!item.isVisible() || item.opacity() <= 0.0)
            return;
        place.opacity *= item.opacity();
        if (item.inherits("QQuickFlickable"))
            addScrolling(item, place);
        if (item.clip())
            place.shown = place.shown.intersected(
                item.mapRectToScene(QRectF(0.0, 0.0, item.width(), item.height())));
        if (isText(item) && !item.property("text").toString().isEmpty())
            add(item, place, seen);
        for (QQuickItem* child : item.childItems())
            collect(*child, place, seen);
    }

    static bool isText(const QQuickItem& item) {
        return item.inherits("QQuickText") || item.inherits("QQuickTextInput")
            || item.inherits("QQuickTextEdit");
    }

    static void addScrolling(const QQuickItem& flickable, Place& place) {
        enum Direction { Horizontal = 1, Vertical = 2 }; // QQuickFlickable's; others: both
        const int direction = flickable.property("flickableDirection").toInt();
        const auto isLonger = [&](const char* content, qreal room) {
            return flickable.property(content).toReal() > room + kSlack;
        };
        place.scrollsX = place.scrollsX
            || (direction != Vertical && isLonger("contentWidth", flickable.width()));
        place.scrollsY = place.scrollsY
            || (direction != Horizontal && isLonger("contentHeight", flickable.height()));
    }

    static void add(const QQuickItem& text, const Place& place, std::vector<Seen>& seen) {
        const QRectF ink = text.mapRectToScene(inkOf(text));
        const QRectF visible = ink.intersected(place.shown);
        if (visible.isEmpty() && (place.shown.isEmpty() || isScrolledAway(ink, place)))
            return;
        seen.push_back({text.property("text").toString(), visible,
            text.property("color").value<QColor>(), place.opacity, text.isEnabled(),
            place.scrollsY && visible.height() < 0.5 * ink.height(),
            problemOf(text, ink.size() - visible.size(), place)});
    }

    static bool isScrolledAway(const QRectF& ink, const Place& place) {
        const bool isBeside
            = ink.right() <= place.shown.left() || ink.left() >= place.shown.right();
        const bool isAbove = ink.bottom() <= place.shown.top() || ink.top() >= place.shown.bottom();
        return (!isBeside || place.scrollsX) && (!isAbove || place.scrollsY);
    }

    // Names and paths are shortened in their middle, and their tool tip shows the whole; whatever
    // else is shortened says less than it was written for.
    static QString problemOf(const QQuickItem& text, const QSizeF& hidden, const Place& place) {
        if ((hidden.width() > kSlack && !place.scrollsX)
            || (hidden.height() > kSlack && !place.scrollsY))
            return QStringLiteral("cut off");
        if (text.property("truncated").toBool() && text.property("elide").toInt() != kElideMiddle)
            return QStringLiteral("shortened");
        const bool isField = text.inherits("QQuickTextInput") && !text.hasActiveFocus();
        if (isField && text.property("contentWidth").toReal() > roomOf(text).width() + kSlack)
            return QStringLiteral("wider than its field");
        return {};
    }

    static QRectF roomOf(const QQuickItem& text) {
        const auto padding = [&](const char* side) { return text.property(side).toReal(); };
        return QRectF(0.0, 0.0, text.width(), text.height())
            .adjusted(padding("leftPadding"), padding("topPadding"), -padding("rightPadding"),
                -padding("bottomPadding"));
    }

    static QRectF inkOf(const QQuickItem& text) {
        const QRectF room = roomOf(text);
        QSizeF size(
            text.property("contentWidth").toReal(), text.property("contentHeight").toReal());
        if (text.inherits("QQuickTextInput"))
            size.setWidth(std::min(size.width(), room.width())); // it scrolls in itself
        QRectF ink(room.topLeft(), size);
        ink.translate(offset(text.property("effectiveHorizontalAlignment").toInt(), Qt::AlignRight,
                          Qt::AlignHCenter, room.width() - size.width()),
            offset(text.property("verticalAlignment").toInt(), Qt::AlignBottom, Qt::AlignVCenter,
                room.height() - size.height()));
        return ink;
    }

    static qreal offset(int alignment, int atEnd, int inMiddle, qreal room) {
        if ((alignment & atEnd) != 0)
            return room;
        return (alignment & inMiddle) != 0 ? room / 2.0 : 0.0;
    }

    // Parts of a view hang on its item, and items on each other.
    static void collectSheets(QObject& object, QList<QObject*>& found) {
        for (QObject* child : object.children()) {
            if (!child->inherits("QQuickPopup")
                || child->metaObject()->indexOfProperty("closable") < 0 || found.contains(child))
                continue;
            const auto* home = child->property("home").value<QQuickItem*>();
            if (home == nullptr || home->isVisible())
                found.append(child);
        }
        if (const auto* item = qobject_cast<QQuickItem*>(&object)) {
            for (QQuickItem* child : item->childItems())
                collectSheets(*child, found);
        }
    }

    static QQuickItem* pageBelow(QQuickItem& item) {
        if (!item.isVisible())
            return nullptr;
        const auto has = [&](const char* property) {
            return item.metaObject()->indexOfProperty(property) >= 0;
        };
        if (has("exportable") && has("body"))
            return &item;
        for (QQuickItem* child : item.childItems()) {
            if (auto* found = pageBelow(*child))
                return found;
        }
        return nullptr;
    }

    static QColor mostFrequent(const QImage& image, const QRect& area) {
        QHash<QRgb, int> counts;
        for (int y = area.top(); y <= area.bottom(); ++y) {
            for (int x = area.left(); x <= area.right(); ++x)
                ++counts[image.pixel(x, y)];
        }
        return std::max_element(counts.keyValueBegin(), counts.keyValueEnd(),
            [](const auto& a, const auto& b) { return a.second < b.second; })
            ->first;
    }

    static trainscope::plot::Color plain(const QColor& color) {
        return trainscope::plot::rgb(color.rgb() & 0xFFFFFFU);
    }
};
