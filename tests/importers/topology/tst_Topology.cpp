// Topologies of small nodes and, where the files are, of real ones, whose links were read off the
// files by hand, and broken ones.

#include "importers/topology/TopologyFile.h"
#include "support/TestFiles.h"
#include "support/TestProgram.h"

using namespace trainscope::layout;
using namespace trainscope::importers::topology;

namespace {

std::string fileText(const std::string& name) {
    for (const auto& root : test::testRoots()) {
        std::ifstream file(root + "/data/topology/" + name);
        std::ostringstream text;
        text << file.rdbuf();
        if (!text.str().empty())
            return text.str();
    }
    return {};
}

bool isThere() {
    return !fileText("nccl_ndv4-topo.xml").empty();
}

constexpr const char* kNotThere = "the real topologies are not here (TRAINSCOPE_SHARED)";

int count(const Topology& topology, PathKind kind) {
    int found = 0;
    for (std::size_t a = 0; a < topology.gpuCount(); ++a) {
        for (std::size_t b = 0; b < a; ++b)
            found += topology.path(a, b).kind == kind ? 1 : 0;
    }
    return found;
}

constexpr const char* kSwitched = R"(<system version="1"><cpu numaid="0">
  <pci busid="0000:01:00.0" class="0x030200" link_speed="8.0 GT/s" link_width="16"><gpu dev="0" sm="90">
    <nvlink target="0000:c0:00.0" count="9" tclass="0x068000"/>
    <nvlink target="0000:c1:00.0" count="9" tclass="0x068000"/></gpu></pci>
  <pci busid="0000:02:00.0" class="0x030200"><gpu dev="1" sm="90">
    <nvlink target="0000:c0:00.0" count="9" tclass="0x068000"/>
    <nvlink target="0000:c1:00.0" count="9" tclass="0x068000"/></gpu></pci>
</cpu></system>)";

} // namespace

class tst_Topology : public QObject {
    Q_OBJECT

    static Topology load(const std::string& name) {
        const auto file = readTopology(fileText(name), name);
        if (!file.hasValue())
            qFatal("%s", file.error().describe().c_str());
        return file.value().topology;
    }

private Q_SLOTS:
    // Two GPUs with 4 NVLinks of 25 GB/s, the first beside a card of 200 Gbit/s; a third on another
    // CPU; one bridge that both CPUs list.
    void smallPairByNvLink() {
        const auto topology = load("nvlink_pair.xml");
        QCOMPARE(topology.gpuCount(), std::size_t{3});
        QCOMPARE(topology.devices().size(), std::size_t{5});
        QVERIFY((topology.path(0, 1) == TopologyPath{PathKind::NvLink, 4, false, 100e9}));
        QVERIFY(topology.path(0, 2).kind == PathKind::Sys);
        QVERIFY(topology.path(0, 3).kind == PathKind::Pix);
        QVERIFY(topology.path(1, 3).kind == PathKind::Phb);
        // The card has 8 lanes of 16 GT/s.
        QCOMPARE(topology.path(0, 3).bandwidth.value_or(0), 16e9 * 128 / 130 / 8 * 8);
        QCOMPARE(topology.nearestNic(0).value_or(0), std::size_t{3});
        QCOMPARE(topology.devices()[3].name, std::string("mlx5_0"));
        QCOMPARE(topology.devices()[3].bandwidth.value_or(0), 25e9);
        QCOMPARE(topology.devices()[4].name, std::string("bridge0"));
        QVERIFY(topology.devices()[4].busId.empty() && !topology.devices()[4].numa.has_value());
        QCOMPARE(topology.devices()[2].numa.value_or(-1), 1);
        QVERIFY(!topology.isLopsided());
    }

    // A GPU and a card behind a switch on each of two CPUs, without drivers.
    void smallCardsByTheirClass() {
        const auto topology = load("cards.xml");
        QCOMPARE(topology.gpuCount(), std::size_t{2});
        QCOMPARE(topology.devices().size(), std::size_t{4});
        for (std::size_t gpu = 0; gpu < 2; ++gpu) {
            QCOMPARE(topology.nearestNic(gpu).value_or(0), gpu + 2);
            QVERIFY(topology.path(gpu, gpu + 2).kind == PathKind::Pix);
            QCOMPARE(topology.devices()[gpu].numa.value_or(-1), static_cast<int>(gpu));
        }
        QVERIFY(topology.path(0, 1).kind == PathKind::Sys);
        QCOMPARE(topology.path(0, 2).bandwidth.value_or(0), 32e9 * 128 / 130 / 8 * 16);
    }

    // The speed of the oldest links is no whole number: 2.5 GT/s in 8b/10b over 4 lanes are 1 GB/s.
    void fractionsOfLinkSpeeds() {
        constexpr const char* kOld = R"(<system version="1"><cpu numaid="0">
  <pci busid="0001:00:00.0" class="0x060400" link_speed="2.5 GT/s PCIe" link_width="4">
    <pci busid="0001:01:00.0" class="0x030200" link_speed="2.5 GT/s PCIe" link_width="4"/>
    <pci busid="0001:02:00.0" class="0x020700" link_speed="2.5 GT/s PCIe" link_width="4"/>
  </pci></cpu></system>)";
        const auto file = readTopology(kOld, "old.xml");
        QVERIFY(file.hasValue());
        QCOMPARE(file.value().topology.path(0, 1).bandwidth.value_or(0), 1e9);
    }

    // Three GPUs behind one root, two of them a switch deeper; a link told by both ends.
    void smallPairByXgmi() {
        const auto topology = load("xgmi_pair.xml");
        QCOMPARE(topology.gpuCount(), std::size_t{3});
        QCOMPARE(count(topology, PathKind::Xgmi), 1);
        QVERIFY((topology.path(0, 1) == TopologyPath{PathKind::Xgmi, 1, false, std::nullopt}));
        QVERIFY(topology.path(1, 2).kind == PathKind::Pix);
        QVERIFY(topology.path(0, 2).kind == PathKind::Pxb);
        QVERIFY(!topology.isLopsided());
    }

    void smallMatrixOfNvidiaSmi() {
        const auto topology = load("matrix.txt");
        QCOMPARE(topology.gpuCount(), std::size_t{2});
        QCOMPARE(topology.devices().size(), std::size_t{4});
        QVERIFY(topology.path(0, 1).kind == PathKind::NvLink);
        QCOMPARE(topology.path(0, 1).links, 6);
        QCOMPARE(topology.devices()[*topology.nearestNic(0)].name, std::string("mlx5_2"));
        QCOMPARE(topology.devices()[*topology.nearestNic(1)].name, std::string("mlx5_3"));
        QCOMPARE(topology.devices()[1].numa.value_or(-1), 1);
        QVERIFY(!topology.devices()[2].numa.has_value());
    }

    void smallLogIsNoTopology() {
        const auto read = readTopology(fileText("job.out"), "log");
        QVERIFY(read.error().code == ErrorCode::Unrecognised);
        VERIFY_SAYS(read.error().message, "neither an NCCL topology");
    }

    // Two pairs of A100 with 12 NVLinks each, each GPU on its own NUMA node.
    void pairsOfA100() {
        if (!isThere())
            QSKIP(kNotThere);
        const auto topology = load("nccl_ndv4-topo.xml");
        QCOMPARE(topology.gpuCount(), std::size_t{4});
        QCOMPARE(topology.devices().size(), std::size_t{5});
        QVERIFY((topology.path(0, 1) == TopologyPath{PathKind::NvLink, 12, false, 300e9}));
        QVERIFY(topology.path(3, 2).kind == PathKind::NvLink);
        QVERIFY(topology.path(0, 2).kind == PathKind::Sys);
        QCOMPARE(topology.devices()[3].numa.value_or(-1), 3);
        QCOMPARE(topology.devices()[4].name, std::string("eth0"));
        QCOMPARE(topology.devices()[4].bandwidth.value_or(0), 12.5e9);
        QVERIFY(topology.path(0, 4).kind == PathKind::Phb);
        QVERIFY(!topology.isLopsided());
    }

    // Cards alone: each GPU shares a switch with an InfiniBand card, four of them on each CPU.
    void cardsByTheirClass() {
        if (!isThere())
            QSKIP(kNotThere);
        const auto topology = load("nccl_ndv5-topo.xml");
        QCOMPARE(topology.gpuCount(), std::size_t{8});
        QCOMPARE(topology.devices().size(), std::size_t{16});
        for (std::size_t gpu = 0; gpu < 8; ++gpu) {
            QCOMPARE(topology.nearestNic(gpu).value_or(0), gpu + 8);
            QVERIFY(topology.path(gpu, gpu + 8).kind == PathKind::Pix);
            QCOMPARE(topology.devices()[gpu].numa.value_or(-1), static_cast<int>(gpu / 4));
        }
        QCOMPARE(count(topology, PathKind::Phb), 12);
        QCOMPARE(count(topology, PathKind::Sys), 16);
        QCOMPARE(topology.path(0, 8).bandwidth.value_or(0), 32e9 * 128 / 130 / 8 * 16);
    }

    // 61 entries of virtual interfaces are 15, at no CPU; the two cards have a slot.
    void virtualInterfaces() {
        if (!isThere())
            QSKIP(kNotThere);
        const auto topology = load("nccl_test_rtx4090_topo_dump.xml");
        QCOMPARE(topology.gpuCount(), std::size_t{4});
        QCOMPARE(count(topology, PathKind::Sys), 6);
        int virtuals = 0;
        for (const auto& device : topology.devices())
            virtuals += device.kind == DeviceKind::Nic && device.busId.empty() ? 1 : 0;
        QCOMPARE(virtuals, 15);
        const auto nic = topology.nearestNic(0);
        QVERIFY(nic.has_value() && !topology.devices()[*nic].busId.empty());
    }

    // 8 GPUs, 16 xGMI entries: 8 links, each told by both ends.
    void xgmiOfEightGpus() {
        if (!isThere())
            QSKIP(kNotThere);
        const auto topology = load("rccl_topo_8p_rome.xml");
        QCOMPARE(topology.gpuCount(), std::size_t{8});
        QCOMPARE(count(topology, PathKind::Xgmi), 8);
        QVERIFY(!topology.isLopsided());
        QVERIFY((topology.path(0, 1) == TopologyPath{PathKind::Xgmi, 1, false, std::nullopt}));
        QVERIFY(topology.path(0, 2).kind == PathKind::Phb);
        QVERIFY(topology.path(0, 4).kind == PathKind::Sys);
    }

    void switchesOfSixteenL20() {
        if (!isThere())
            QSKIP(kNotThere);
        const auto topology = load("yccl_l20_nccl_topo_dump.xml");
        QCOMPARE(topology.gpuCount(), std::size_t{16});
        QCOMPARE(topology.devices().size(), std::size_t{24});
        QVERIFY(topology.path(0, 1).kind == PathKind::Pix);
        QVERIFY(topology.path(0, 4).kind == PathKind::Pxb);
        QVERIFY(topology.path(0, 8).kind == PathKind::Phb);
        QVERIFY(topology.path(0, 2).kind == PathKind::Sys);
        QCOMPARE(topology.devices()[*topology.nearestNic(5)].name, std::string("mlx5_3"));
        QCOMPARE(topology.devices()[16].bandwidth.value_or(0), 50e9);
    }

    void matrixOfNvidiaSmi() {
        if (!isThere())
            QSKIP(kNotThere);
        const auto topology = load("glm_nvidia-smi_topo_m.txt");
        QCOMPARE(topology.gpuCount(), std::size_t{8});
        QCOMPARE(topology.devices().size(), std::size_t{18});
        QCOMPARE(count(topology, PathKind::NvLink), 28);
        QCOMPARE(topology.path(2, 5).links, 18);
        const std::vector<std::string> nics{
            "mlx5_3", "mlx5_5", "mlx5_4", "mlx5_0", "mlx5_7", "mlx5_9", "mlx5_8", "mlx5_6"};
        for (std::size_t gpu = 0; gpu < 8; ++gpu) {
            QCOMPARE(topology.devices()[*topology.nearestNic(gpu)].name, nics[gpu]);
            QCOMPARE(topology.devices()[gpu].numa.value_or(-1), static_cast<int>(gpu / 4));
        }
        QVERIFY(topology.path(8, 9).kind == PathKind::Pix);
        QVERIFY(!topology.isLopsided());
        QVERIFY(!topology.devices()[8].numa.has_value());
    }

    void logsAreNoTopology() {
        if (!isThere())
            QSKIP(kNotThere);
        const auto read = readTopology(fileText("aws_nccl_tests_slurm-104_NCCL_DEBUG.out"), "log");
        QVERIFY(read.error().code == ErrorCode::Unrecognised);
        VERIFY_SAYS(read.error().message, "neither an NCCL topology");
    }

    void switchesJoinAllGpus() {
        const auto topology = readTopology(kSwitched, "x").value().topology;
        QVERIFY((topology.path(0, 1) == TopologyPath{PathKind::NvLink, 18, true, 450e9}));
        QVERIFY((topology.path(1, 0) == topology.path(0, 1)));
    }

    void brokenFiles() {
        const auto isRefused = [](const char* text, ErrorCode code) {
            const auto read = readTopology(text, "x");
            return !read.hasValue() && read.error().code == code;
        };
        QVERIFY(isRefused("", ErrorCode::Unrecognised));
        QVERIFY(isRefused("<system>", ErrorCode::Unreadable));
        QVERIFY(isRefused("<system><cpu></system>", ErrorCode::Unreadable));
        QVERIFY(isRefused("<graph/>", ErrorCode::Unrecognised));
        QVERIFY(isRefused("<system/>", ErrorCode::Unrecognised));
        QVERIFY(isRefused("\tGPU0\tGPU1\n", ErrorCode::Unrecognised));
        QVERIFY(isRefused("a\nb\n", ErrorCode::Unrecognised));
    }

    void whatIsNotKnownIsTold() {
        const auto file = readTopology("\tGPU0\tGPU1\tCPU Affinity\nGPU0\t X \tWHAT\t0-3\n"
                                       "GPU1\tNV2\t X \t0-3\n",
            "x")
                              .value();
        QCOMPARE(file.warnings.size(), std::size_t{2});
        QVERIFY(file.topology.path(0, 1).kind == PathKind::Unknown);
        QCOMPARE(file.topology.path(1, 0).links, 2);
    }
};

TRAINSCOPE_TEST(tst_Topology)
#include "tst_Topology.moc"
