// Runs the QML tests against the modules that the window uses.

#include <QCoreApplication>
#include <QQmlEngine>
#include <QtQuickTest>

class Setup : public QObject {
    Q_OBJECT

public Q_SLOTS:
    void applicationAvailable() {
        QCoreApplication::setOrganizationName(QStringLiteral("TrainscopeTest"));
        QCoreApplication::setApplicationName(QStringLiteral("qml"));
    }
    void qmlEngineAvailable(QQmlEngine* engine) {
        engine->addImportPath(QStringLiteral("qrc:/qt/qml"));
    }
};

QUICK_TEST_MAIN_WITH_SETUP(trainscope, Setup)
#include "tst_qml.moc"
