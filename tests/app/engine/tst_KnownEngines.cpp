// Credentials of the environment go to the engines that the user has named, and to no other that a
// database names.

#include "app/engine/KnownEngines.h"
#include "support/TestProgram.h"

#include <QTemporaryDir>
#include <QtTest>

using namespace trainscope;
using namespace trainscope::app;

class tst_KnownEngines : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase() {
        m_configuration = qgetenv("XDG_CONFIG_HOME");
        qputenv("XDG_CONFIG_HOME", m_folder.path().toUtf8());
        qputenv("TRAINSCOPE_ENGINE_TOKEN", "secret");
        qputenv("TRAINSCOPE_ENGINE_HEADERS", "X-Api-Key: secret");
    }
    void cleanupTestCase() {
        qputenv("XDG_CONFIG_HOME", m_configuration);
        qunsetenv("TRAINSCOPE_ENGINE_TOKEN");
        qunsetenv("TRAINSCOPE_ENGINE_HEADERS");
    }

    void strangersGetNothing() {
        for (const char* url : {"https://metrics.example.org", "https://localhost.example.org",
                 "https://127.0.0.1.example.org", "https://[2001:db8::1]:9090/prefix"})
            QCOMPARE(accessForLinked({url}).value(), EngineAccess());
    }

    void theOwnMachineIsKnown() {
        for (const char* url : {"http://localhost:9090", "http://127.0.0.1:9090", "http://[::1]:9"})
            QCOMPARE(accessForLinked({url}).value().token, std::string("secret"));
    }

    void whatWasNamedIsKnownByHostPortAndScheme() {
        rememberEngine({"https://mimir.example.org:8443/prometheus"});
        rememberEngine({"https://mimir.example.org:8443"}); // once
        const EngineAccess access
            = accessForLinked({"https://mimir.example.org:8443/other"}).value();
        QCOMPARE(access.token, std::string("secret"));
        QCOMPARE(access.headers.size(), std::size_t{1});
        for (const char* url : {"https://mimir.example.org", "https://mimir.example.org:8444",
                 "http://mimir.example.org:8443", "https://mimir.example.org:84430"})
            QCOMPARE(accessForLinked({url}).value(), EngineAccess());
        QFile list(m_folder.filePath(QStringLiteral("Trainscope/engines")));
        QVERIFY(list.open(QIODevice::ReadOnly));
        QCOMPARE(list.readAll(), QByteArray("https://mimir.example.org:8443\n"));
    }

private:
    QTemporaryDir m_folder;
    QByteArray m_configuration;
};

TRAINSCOPE_TEST(tst_KnownEngines)
#include "tst_KnownEngines.moc"
