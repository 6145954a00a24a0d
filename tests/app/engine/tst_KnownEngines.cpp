// Engines that the user has named are asked, with the credentials of the environment, and no other
// that a database names, on this machine either.

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
            QVERIFY(isRefused(url));
    }

    // Whoever else works on this machine can listen there.
    void theOwnMachineIsNone() {
        for (const char* url : {"http://localhost:9090", "http://127.0.0.1:9090", "http://[::1]:9"})
            QVERIFY(isRefused(url));
    }

    void theRefusalSaysWhatWouldBeSent() {
        importers::engine::Link link;
        link.address = {"http://127.0.0.1:9090/team"};
        link.tenant = "seven";
        const std::string said = accessForLinked(link).error().message;
        for (const char* part : {"http://127.0.0.1:9090/team", "TRAINSCOPE_ENGINE_TOKEN",
                 "TRAINSCOPE_ENGINE_HEADERS", "\"seven\""})
            QVERIFY2(said.find(part) != std::string::npos, said.c_str());
        QVERIFY(said.find("secret") == std::string::npos);
    }

    void theEnvironmentNamesEngines() {
        qputenv("TRAINSCOPE_ENGINES", "prom+http://localhost:9090/ https://h/prometheus");
        QVERIFY(!isRefused("http://localhost:9090") && !isRefused("https://h/prometheus"));
        QVERIFY(isRefused("http://localhost:9091") && isRefused("https://h"));
        qunsetenv("TRAINSCOPE_ENGINES");
        QVERIFY(isRefused("http://localhost:9090"));
    }

    void whatWasNamedIsKnownBySchemeHostPortAndPath() {
        const importers::engine::Address mimir{"https://mimir.example.org:8443/prometheus"};
        rememberEngine(mimir, {});
        rememberEngine(mimir, accessFrom({}).value());
        importers::engine::Link link;
        link.address = mimir;
        const EngineAccess access = accessForLinked(link).value();
        QCOMPARE(access.token, std::string("secret"));
        QCOMPARE(access.headers.size(), std::size_t{1});
        for (const char* url :
            {"https://mimir.example.org/prometheus", "https://mimir.example.org:8443",
                "https://mimir.example.org:8443/prometheus/other",
                "https://mimir.example.org:8444/prometheus",
                "http://mimir.example.org:8443/prometheus"})
            QVERIFY(isRefused(url));
        QFile list(m_folder.filePath(QStringLiteral("Trainscope/engines")));
        QVERIFY(list.open(QIODevice::ReadOnly));
        QCOMPARE(list.readAll(), QByteArray("https://mimir.example.org:8443/prometheus\n"));
    }

private:
    static bool isRefused(const char* url) {
        importers::engine::Link link;
        link.address = {url};
        const auto access = accessForLinked(link);
        return !access.hasValue() && access.error().code == ErrorCode::Refused;
    }

    QTemporaryDir m_folder;
    QByteArray m_configuration;
};

TRAINSCOPE_TEST(tst_KnownEngines)
#include "tst_KnownEngines.moc"
