// Runs the QML tests against the modules that the window uses.

#include <QCoreApplication>
#include <QQmlContext>
#include <QQmlEngine>
#include <QTemporaryDir>
#include <QUrl>
#include <QtQuickTest>

#include "app/viewmodels/support/SweepFiles.h"

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
    }

private:
    QTemporaryDir m_folder;
};

QUICK_TEST_MAIN_WITH_SETUP(trainscope, Setup)
#include "tst_qml.moc"
