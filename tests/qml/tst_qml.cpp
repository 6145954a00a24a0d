// Runs the QML tests against the modules that the window uses.

#include <QApplication>
#include <QFont>
#include <QQmlContext>
#include <QQmlEngine>
#include <QTemporaryDir>
#include <QUrl>
#include <QtQuickTest>

#include "app/viewmodels/support/KeyStrokes.h"
#include "app/viewmodels/support/SweepFiles.h"
#include "core/model/InteractiveThread.h"
#include "qml/RealData.h"
#include "qml/SceneTexts.h"

namespace {

// The rows of the keys table with their strokes, for tests that press them.
QVariantList keyRows() {
    using namespace trainscope;
    QVariantList rows;
    for (const app::KeyEntry& entry : app::keyEntries()) {
        QVariantList strokes;
        for (const QKeyCombination stroke : test::strokesOf(entry))
            strokes.append(QVariantMap{{QStringLiteral("key"), static_cast<int>(stroke.key())},
                {QStringLiteral("modifiers"), static_cast<int>(stroke.keyboardModifiers())}});
        rows.append(QVariantMap{{QStringLiteral("id"), QLatin1String(entry.id)},
            {QStringLiteral("group"), QLatin1String(entry.group)},
            {QStringLiteral("sequences"), QLatin1String(entry.sequences)},
            {QStringLiteral("strokes"), strokes}});
    }
    return rows;
}

} // namespace

class Setup : public QObject {
    Q_OBJECT

public Q_SLOTS:
    void applicationAvailable() {
        QCoreApplication::setOrganizationName(QStringLiteral("TrainscopeTest"));
        QCoreApplication::setApplicationName(QStringLiteral("qml"));
    }
    void qmlEngineAvailable(QQmlEngine* engine) {
        engine->addImportPath(QStringLiteral("qrc:/qt/qml"));
        // Two sweeps, for tests of lists of runs.
        const auto path = trainscope::test::writeSweeps(m_folder.path().toStdString());
        engine->rootContext()->setContextProperty(QStringLiteral("sweepsUrl"),
            QUrl::fromLocalFile(QString::fromStdString(path.string())));
        engine->rootContext()->setContextProperty(QStringLiteral("sceneTexts"), &m_texts);
        engine->rootContext()->setContextProperty(QStringLiteral("realData"), &m_data);
        engine->rootContext()->setContextProperty(QStringLiteral("keyRows"), keyRows());
        trainscope::markInteractiveThread();
    }

private:
    QTemporaryDir m_folder;
    RealData m_data;
    SceneTexts m_texts;
};

// Qt Charts draws through widgets' graphics view, which needs a QApplication.
int main(int argc, char* argv[]) {
    QTEST_SET_MAIN_SOURCE_PATH
    const QApplication application(argc, argv);
    // A desktop's font of that size.
    if (const int points = qEnvironmentVariableIntValue("TRAINSCOPE_TEST_POINTS"); points > 0) {
        QFont font = QApplication::font();
        font.setPointSize(points);
        QApplication::setFont(font);
    }
    Setup setup;
    return quick_test_main_with_setup(argc, argv, "trainscope", QUICK_TEST_SOURCE_DIR, &setup);
}
#include "tst_qml.moc"
