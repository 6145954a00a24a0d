// The manual as QML sees it: pages, history, search, and where a place lies in the shown text.

#include "app/viewmodels/manual/ManualController.h"
#include "app/viewmodels/workspace/Views.h"
#include "support/TestProgram.h"

#include <QQmlComponent>
#include <QQmlEngine>
#include <QTextBlock>
#include <QTextDocument>

using namespace trainscope;
using app::ManualController;

namespace {

QString titleAt(ManualController& controller, int row) {
    return controller.entries()->at(row, "name").toString();
}

} // namespace

class tst_ManualController : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void opensAtTheFirstPage() {
        ManualController controller;
        QCOMPARE(controller.title(), QStringLiteral("Getting started"));
        QVERIFY(!controller.hasBefore());
        QVERIFY(!controller.hasAfter());
        // Its sections stand below it.
        QCOMPARE(controller.current(), 0);
        QCOMPARE(titleAt(controller, 1), QStringLiteral("First steps"));
    }

    // F1 opens the page of the view, whichever it is.
    void everyViewHasItsPlace() {
        const QString first = ManualController().title();
        for (int view = 0; view < app::Views::kViews; ++view) {
            ManualController controller;
            controller.openTopic(app::Views::keyOf(static_cast<app::Views::View>(view)));
            QVERIFY2(controller.title() != first || controller.current() > 0,
                qPrintable(app::Views::keyOf(static_cast<app::Views::View>(view))));
        }
        ManualController controller;
        controller.openTopic(QStringLiteral("spectrum"));
        QCOMPARE(controller.title(), QStringLiteral("Figures"));
        QCOMPARE(titleAt(controller, controller.current()), QStringLiteral("spectrum"));
    }

    void linksAndHistory() {
        ManualController controller;
        controller.open(QStringLiteral("numbers#step-time"));
        QCOMPARE(controller.title(), QStringLiteral("Numbers"));
        controller.open(QStringLiteral("keys"));
        QVERIFY(!controller.hasAfter());
        controller.goBack();
        QCOMPARE(controller.title(), QStringLiteral("Numbers"));
        controller.goBack();
        QCOMPARE(controller.title(), QStringLiteral("Getting started"));
        QVERIFY(!controller.hasBefore());
        controller.goBack();
        controller.goOn();
        QCOMPARE(controller.title(), QStringLiteral("Numbers"));
        // A new way from here.
        controller.open(QStringLiteral("formats"));
        QVERIFY(!controller.hasAfter());
        controller.goBack();
        QCOMPARE(controller.title(), QStringLiteral("Numbers"));
    }

    void searchListsPlaces() {
        ManualController controller;
        controller.setQuery(QStringLiteral("exposed communication"));
        QVERIFY(controller.entries()->count() >= 2);
        QCOMPARE(controller.current(), -1);
        QVERIFY(controller.headline().startsWith(QString::number(controller.entries()->count())));
        QCOMPARE(controller.entries()->at(0, "title").toString(),
            QStringLiteral("<b>Exposed</b> <b>communication</b>"));
        QVERIFY(controller.entries()
                    ->at(0, "detail")
                    .toString()
                    .startsWith(QStringLiteral("Numbers · ")));
        controller.step(1);
        QCOMPARE(controller.current(), 0);
        QCOMPARE(controller.title(), QStringLiteral("Numbers"));
        controller.step(1);
        QCOMPARE(controller.current(), 1);
        controller.step(-5);
        QCOMPARE(controller.current(), 0);
        controller.setQuery(QStringLiteral("xyzzy"));
        QCOMPARE(controller.entries()->count(), 0);
        QCOMPARE(controller.headline(), QStringLiteral("Nothing found"));
        controller.step(1);
        controller.setQuery(QString());
        QCOMPARE(controller.headline(), QStringLiteral("Pages"));
    }

    // As the window shows it: the position of a heading, and found words with a background.
    void placesInTheText() {
        QQmlEngine engine;
        QQmlComponent component(&engine);
        component.setData("import QtQuick\nTextEdit { textFormat: TextEdit.RichText }", {});
        const std::unique_ptr<QObject> edit(component.create());
        QVERIFY(edit);
        ManualController controller;
        const auto update = [&] { edit->setProperty("text", controller.html()); };
        connect(&controller, &ManualController::pageChanged, edit.get(), update);
        update();
        auto* quick = edit->property("textDocument").value<QQuickTextDocument*>();
        QVERIFY(quick);
        controller.setDocument(quick);
        QSignalSpy shown(&controller, &ManualController::shown);
        controller.open(QStringLiteral("numbers#step-time"));
        const QTextDocument& document = *quick->textDocument();
        const auto blockAt = [&](int position) { return document.findBlock(position).text(); };
        QCOMPARE(blockAt(shown.takeLast().at(0).toInt()), QStringLiteral("Step time"));
        controller.open(QStringLiteral("numbers"));
        QCOMPARE(shown.takeLast().at(0).toInt(), 0);

        controller.setQuery(QStringLiteral("trapezoid"));
        controller.step(1);
        const int found = shown.takeLast().at(0).toInt();
        QVERIFY(blockAt(found).contains(QStringLiteral("trapezoid")));
        const QTextBlock block = document.findBlock(found);
        const auto formats = block.layout()->formats();
        QCOMPARE(formats.size(), 1);
        QCOMPARE(
            block.text().mid(formats[0].start, formats[0].length), QStringLiteral("trapezoid"));
        controller.setQuery(QString());
        QVERIFY(block.layout()->formats().isEmpty());
    }

    void keysOfTheManual() {
        const app::KeyMap keys;
        QCOMPARE(keys.hint(QStringLiteral("manual")), QStringLiteral("F1"));
        QCOMPARE(keys.hint(QStringLiteral("keys")), QStringLiteral("?"));
    }
};

TRAINSCOPE_GUI_TEST(tst_ManualController)
#include "tst_ManualController.moc"
