// A painted item holds a picture while it is seen, none while it is hidden.

#include "app/viewmodels/workspace/PictureItem.h"
#include "support/TestProgram.h"

#include <QPainter>
#include <QQuickWindow>

using namespace trainscope;

namespace {

class Picture : public app::PictureItem {
public:
    using app::PictureItem::PictureItem;

    int paintings = 0;
    bool isKept = false;

    void paint(QPainter* painter) override {
        ++paintings;
        painter->fillRect(boundingRect(), Qt::red);
    }

protected:
    QSGNode* updatePaintNode(QSGNode* node, UpdatePaintNodeData* data) override {
        node = app::PictureItem::updatePaintNode(node, data);
        isKept = node != nullptr;
        return node;
    }
    void pointedAt(QPointF /*at*/) override { }
    void left() override { }
};

} // namespace

class tst_PictureItem : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void nothingIsKeptOfAHiddenView() {
        QQuickWindow window;
        window.resize(200, 100);
        QQuickItem view(window.contentItem());
        Picture picture(&view);
        picture.setSize(QSizeF(200, 100));
        window.show();
        QVERIFY(QTest::qWaitForWindowExposed(&window));
        QTRY_VERIFY(picture.isKept);
        QCOMPARE(window.grabWindow().pixelColor(100, 50), QColor(Qt::red));
        const int before = picture.paintings;
        view.setVisible(false);
        QTRY_VERIFY(!picture.isKept);
        QCOMPARE(picture.paintings, before);
        view.setVisible(true);
        QTRY_VERIFY(picture.isKept);
        QVERIFY(picture.paintings > before);
        QCOMPARE(window.grabWindow().pixelColor(100, 50), QColor(Qt::red));
    }
};

TRAINSCOPE_GUI_TEST(tst_PictureItem)
#include "tst_PictureItem.moc"
