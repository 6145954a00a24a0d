// AMD's GPUs as a fake of their library shows them: structures of three versions, told apart by
// what stayed in its place, values that are not measured, and functions that are not there.

#include "importers/record/GpuLibrary.h"
#include "importers/record/ProbeReading.h"
#include "support/TestProgram.h"

using namespace trainscope::record;
using test::siValue;

namespace {

std::unique_ptr<GpuLibrary> amdSmi(
    const char* is, const char* library = "fake_amdsmi", const std::string& root = "/nowhere") {
    qputenv("TRAINSCOPE_FAKE_AMDSMI", is);
    auto opened = openAmdSmi(
        QByteArray(qgetenv("TRAINSCOPE_BINARY") + "/bin/fakes/" + library + ".so").toStdString(),
        root);
    if (!opened.hasValue()) {
        QTest::qFail(opened.error().message.c_str(), __FILE__, __LINE__);
        return nullptr;
    }
    return std::move(opened.value());
}

SeriesDescription channelOfMetric(const Probe& probe, std::string_view metric) {
    for (const Channel& channel : probe.channels()) {
        if (channel.description.metric.name == metric)
            return channel.description;
    }
    return {};
}

} // namespace

class tst_AmdDevices : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void readings_data() {
        const auto row = test::columns<QByteArray>("version");
        for (const char* version : {"5", "6", "7"})
            row(version, QByteArray(version));
    }
    void readings() {
        QFETCH(QByteArray, version);
        const auto opened = amdSmi(version.constData());
        GpuLibrary& library = *opened;
        QCOMPARE(library.gpus().size(), 2U);
        QCOMPARE(library.gpus()[1].model, std::string("AMD Instinct MI300X"));
        QCOMPARE(library.gpus()[1].uuid, std::string("uuid-1"));
        for (const GpuFacts& gpu : library.gpus()) {
            const auto probe = library.probe(gpu);
            QCOMPARE(siValue(*probe, "gpu_power"), 100.0 * (gpu.index + 1));
            QCOMPARE(siValue(*probe, "hotspot_temperature"), 71.0);
            QCOMPARE(siValue(*probe, "mem_temperature"), 65.0);
            QCOMPARE(siValue(*probe, "sm_clock"), 2.1e9);
            QCOMPARE(siValue(*probe, "mem_clock"), 1.3e9);
            QCOMPARE(siValue(*probe, "gpu_utilization"), 0.88);
            QCOMPARE(siValue(*probe, "mem_used"), 150e9);
            QCOMPARE(siValue(*probe, "power_limit"), 750.0);
            // 2 million steps of 15.3 µJ
            QVERIFY(std::abs(siValue(*probe, "gpu_energy").value() - 30.6) < 1e-4);
            for (const char* lacking : {"gpu_temperature", "mem_utilization", "fan_speed"})
                QVERIFY(!siValue(*probe, lacking));
        }
    }

    // Seven of eight links carry something: 1000·(1+2+…+7)·(g+1) KiB were received, twice as much
    // was sent. Before version 6 the table ends before them.
    void xgmi_data() { readings_data(); }
    void xgmi() {
        QFETCH(QByteArray, version);
        const auto library = amdSmi(version.constData());
        const auto probe = library->probe(library->gpus()[1]);
        if (version == "5") {
            QVERIFY(!siValue(*probe, "xgmi_rx"));
            QVERIFY(!siValue(*probe, "xgmi_link_rx"));
            return;
        }
        QCOMPARE(siValue(*probe, "xgmi_rx"), 56'000.0 * 1024.0);
        QCOMPARE(siValue(*probe, "xgmi_tx"), 112'000.0 * 1024.0);
        QCOMPARE(siValue(*probe, "xgmi_link_tx"), 4000.0 * 1024.0); // the first link
        QCOMPARE(siValue(*probe, "xgmi_link_tx", Pace::Round), -1024.0); // once a second
        int links = 0;
        for (const Channel& channel : probe->channels()) {
            if (channel.description.metric.name != "xgmi_link_rx")
                continue;
            QVERIFY(channel.description.subject.kind == SubjectKind::Link);
            QCOMPARE(channel.description.counterBits, 64);
            QCOMPARE(channel.description.subject.device, "GPU 1 link " + std::to_string(links++));
        }
        QCOMPARE(links, 7);
    }

    // By NVML's mask: 0x4 the power limit, 0x20 too hot. Until version 5 the driver's own mask says
    // it, later counts that rise between two readings.
    void throttleReasons() {
        const auto old = amdSmi("5");
        QCOMPARE(siValue(*old->probe(old->gpus()[0]), "throttle_reasons"), 0.0);
        QCOMPARE(siValue(*old->probe(old->gpus()[1]), "throttle_reasons"), double{0x4 | 0x20});
        const auto library = amdSmi("6");
        const auto cool = library->probe(library->gpus()[0]);
        const auto held = library->probe(library->gpus()[1]);
        QVERIFY(std::isnan(siValue(*held, "throttle_reasons").value())); // nothing before it
        siValue(*cool, "throttle_reasons");
        QCOMPARE(siValue(*cool, "throttle_reasons"), 0.0);
        QCOMPARE(siValue(*held, "throttle_reasons"), double{0x4});
        qputenv("TRAINSCOPE_FAKE_AMDSMI", "6,memhot");
        QCOMPARE(siValue(*held, "throttle_reasons"), double{0x4 | 0x20});
        QCOMPARE(siValue(*cool, "throttle_reasons"), double{0x20});
    }

    // 8000 Mb/s for each GPU; errors of memory; a fan at 128 of 255.
    void pcieErrorsAndFan() {
        const auto library = amdSmi("7,fan");
        const auto probe = library->probe(library->gpus()[1]);
        QCOMPARE(siValue(*probe, "pcie_rate"), 2e9);
        QCOMPARE(siValue(*probe, "ecc_corrected"), 3.0);
        QCOMPARE(siValue(*probe, "ecc_uncorrected"), 1.0);
        QCOMPARE(siValue(*probe, "fan_speed"), 128.0 / 255.0);
        QVERIFY(!siValue(*probe, "mem_power")); // no version of the library has it
    }

    // The kernel's count of packets of a second, of GPUs that have one: 3000 received and 2000 sent
    // of 256 B at most.
    void pciePackets() {
        QTemporaryDir root;
        const QString device
            = root.filePath(QStringLiteral("sys/devices/pci0000:40/0000:40:01.0/0000:41:00.0"));
        test::writeText(device + QStringLiteral("/pcie_bw"), "3000 2000 256\n");
        QDir().mkpath(root.filePath(QStringLiteral("sys/bus/pci/devices")));
        QVERIFY(
            QFile::link(device, root.filePath(QStringLiteral("sys/bus/pci/devices/0000:41:00.0"))));
        const auto library = amdSmi("6", "fake_amdsmi", root.path().toStdString());
        QCOMPARE(library->gpus()[0].facts.at("pci"), std::string("0000:41:00.0"));
        const auto probe = library->probe(library->gpus()[0]);
        QTRY_COMPARE(siValue(*probe, "pcie_rx_rate"), 768'000.0);
        QCOMPARE(siValue(*probe, "pcie_tx_rate"), 512'000.0);
        QVERIFY(channelOfMetric(*probe, "pcie_rx_rate").sensor == SensorKind::Averaged);
        QVERIFY(!siValue(*library->probe(library->gpus()[1]), "pcie_rx_rate"));
    }

    // As the kernel's driver lists them: two processes with queues, of which the second works on
    // both GPUs; one without queues, and a GPU that the library does not show.
    void processes() {
        QTemporaryDir root;
        const QString tables = root.filePath(QStringLiteral("sys/class/kfd/kfd/"));
        const auto write = [&tables](const char* name, const char* text) {
            test::writeText(tables + QLatin1String(name), text);
        };
        const auto library = amdSmi("6", "fake_amdsmi", root.path().toStdString());
        QVERIFY(!library->processes());
        write("topology/nodes/0/gpu_id", "0\n"); // a processor
        write("topology/nodes/0/properties", "cpu_cores_count 64\nlocation_id 0\ndomain 0\n");
        write("topology/nodes/1/gpu_id", "51110\n");
        write("topology/nodes/1/properties", "simd_count 1216\nlocation_id 16640\ndomain 0\n");
        write("topology/nodes/2/gpu_id", "9001\n");
        write("topology/nodes/2/properties", "simd_count 1216\nlocation_id 16896\ndomain 0\n");
        write("topology/nodes/3/gpu_id", "777\n");
        write("topology/nodes/3/properties", "simd_count 1216\nlocation_id 17152\ndomain 1\n");
        QCOMPARE(library->gpus()[0].facts.at("pci"), std::string("0000:41:00.0")); // 65 · 256
        QCOMPARE(library->gpus()[1].facts.at("pci"), std::string("0000:42:00.0")); // 66 · 256
        write("proc/812/queues/0/gpuid", "51110\n");
        write("proc/812/queues/1/gpuid", "51110\n");
        write("proc/4711/queues/0/gpuid", "9001\n");
        write("proc/4711/queues/1/gpuid", "51110\n");
        write("proc/4711/queues/2/gpuid", "777\n");
        write("proc/90/pasid", "32770\n");
        const auto processes = library->processes();
        QVERIFY(processes);
        QStringList found;
        for (const GpuProcess& process : *processes)
            found += QStringLiteral("%1 on %2").arg(process.process).arg(process.gpu);
        QCOMPARE(found.join(u", "), QStringLiteral("812 on 0, 4711 on 0, 4711 on 1"));
    }

    // Now where the table of metrics says that the GPU measures it now.
    void kindOfPower() {
        const auto sensorOf = [](const char* version) {
            const auto library = amdSmi(version);
            return channelOfMetric(*library->probe(library->gpus()[0]), "gpu_power").sensor;
        };
        QVERIFY(sensorOf("5") == SensorKind::Averaged);
        QVERIFY(sensorOf("6") == SensorKind::Instant);
        QVERIFY(sensorOf("7") == SensorKind::Instant);
    }

    // All ones are missing, never a number; so is what fails.
    void notMeasured_data() {
        const auto row = test::columns<QByteArray>("fault");
        row("all ones", "6,na");
        row("failing", "6,lost");
    }
    void notMeasured() {
        QFETCH(QByteArray, fault);
        const auto library = amdSmi("6");
        const auto probe = library->probe(library->gpus()[0]);
        QCOMPARE(siValue(*probe, "gpu_power"), 100.0);
        qputenv("TRAINSCOPE_FAKE_AMDSMI", fault);
        const std::vector<double> values = test::allRead(*probe);
        for (std::size_t i = 0; i < values.size(); ++i)
            QVERIFY2(std::isnan(values[i]), probe->channels()[i].description.metric.name.c_str());
        // From the begin: the device lacks it.
        const auto without = library->probe(library->gpus()[1]);
        QCOMPARE(without->channels().size(), 0U);
    }

    // A library without the functions that came later gives what it has.
    void oldLibrary() {
        const auto library = amdSmi("5", "fake_amdsmi_old");
        const auto probe = library->probe(library->gpus()[0]);
        QCOMPARE(siValue(*probe, "gpu_power"), 100.0);
        QCOMPARE(siValue(*probe, "mem_temperature"), 65.0);
        for (const char* lacking : {"throttle_reasons", "xgmi_rx", "pcie_rate", "ecc_corrected"})
            QVERIFY(!siValue(*probe, lacking));
        QCOMPARE(library->gpus()[0].facts.count("pci"), 0U);
        QVERIFY(library->topology()->path(0, 1).kind == layout::PathKind::Unknown);
    }

    void topology() {
        const auto library = amdSmi("6");
        const auto topology = library->topology();
        QCOMPARE(topology->gpuCount(), 2U);
        QCOMPARE(topology->devices()[1].busId, std::string("0000:42:00.0"));
        QVERIFY(topology->path(0, 1).kind == layout::PathKind::Xgmi);
    }
};

TRAINSCOPE_TEST(tst_AmdDevices)
#include "tst_AmdDevices.moc"
