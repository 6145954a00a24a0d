#pragma once
// Short files of every telemetry format, as the tools write them.

#include <array>
#include <string_view>

namespace trainscope::test {

inline constexpr std::string_view kDcgmiDmonText
    = R"(#Entity   POWER        TMPTR        TENSO        XYZZY
ID        W            C
GPU 0     N/A          30           0.250        7
GPU 1     301.500      31           0.500        8
GPU-I 3   N/A          N/A          0.750        9
GPU 0     101.000      33           0.260        7
GPU 1     302.500      34           0.510        8
GPU-I 3   N/A          N/A          0.760        9

#Entity   POWER        TMPTR        TENSO        XYZZY
ID        W            C
GPU 0     102.000      35           0.270        7
GPU 1     2147483632   36           0.520        8
)";

inline constexpr std::string_view kSmiDmonText
    = R"(#Date       Time        gpu    pwr  gtemp  mtemp     sm    mem   mclk   pclk     fb
#YYYYMMDD   HH:MM:SS    Idx      W      C      C      %      %    MHz    MHz     MB
 20260422   00:03:09      0    111     41     42     97     30   2619   1980   9648
 20260422   00:03:09      1    112     43      -     98     31   2619   1965   9649
 20260422   00:03:10      0    113     44     45     99     32   2619   1980   9650
#Date       Time        gpu    pwr  gtemp  mtemp     sm    mem   mclk   pclk     fb
#YYYYMMDD   HH:MM:SS    Idx      W      C      C      %      %    MHz    MHz     MB
 20260422   00:03:10      1    114     46      -    100     33   2619   1965   9651
)";

inline constexpr std::string_view kSmiPmonText
    = R"(# gpu         pid   type     sm    mem    enc    dec    command
# Idx           #    C/G      %      %      %      %    name
    0      11234     C     40     10      -      -    python3
    0      11235     C     35      5      -      -    python3 train.py
    1          -     -      -      -      -      -    -
    0      11234     C     50     12      -      -    python3
    0      11235     C     25      6      -      -    python3 train.py
    1          -     -      -      -      -      -    -
)";

inline constexpr std::string_view kAmdWatchText
    = "'CTRL' + 'C' to stop watching output:\r\n"
      "timestamp,gpu,gfx_activity,total_energy_consumption,hotspot,odd_thing\r\n"
      "1700000000,0,50,1000.0,60,1\r\n1700000000,1,60,5000.0,61,2\r\n"
      "1700000002,0,55,1300.0,62,1\r\n1700000002,1,65,6200.0,N/A,2\r\n"
      "timestamp,gpu,gfx_activity,total_energy_consumption,hotspot,odd_thing\r\n"
      "1700000004,0,57,1700.0,63,1\r\n1700000004,1,67,100.0,64,2\r\n";

inline constexpr std::string_view kAmdJsonText = R"([
  {"gpu": 0, "usage": {"gfx_activity": {"value": 12, "unit": "%"}},
   "power": {"socket_power": {"value": 133, "unit": "W"}},
   "clock": {"gfx_0": {"clk": {"value": 131, "unit": "MHz"}}},
   "temperature": {"edge": "N/A", "hotspot": {"value": 35, "unit": "C"}},
   "mem_usage": {"used_vram": {"value": 283, "unit": "MB"}}},
  {"gpu": 1, "usage": {"gfx_activity": {"value": 14, "unit": "%"}},
   "power": {"socket_power": {"value": 135, "unit": "W"}},
   "temperature": {"hotspot": {"value": 36, "unit": "C"}}}
])";

inline constexpr std::string_view kRocmCsvText
    = "device,Temperature (Sensor junction) (C),Current Socket Graphics Package Power (W),"
      "GPU use (%),sclk clock speed:\n"
      "card0,41.0,140.0,17,(131Mhz)\ncard1,42.0,141.0,18,(132Mhz)\n\n"
      "device,Temperature (Sensor junction) (C),Current Socket Graphics Package Power (W),"
      "GPU use (%),sclk clock speed:\n"
      "card0,43.0,150.0,27,(231Mhz)\ncard1,44.0,151.0,28,(232Mhz)\n";

inline constexpr std::string_view kRocmJsonText
    = R"json({"card0": {"Temperature (Sensor junction) (C)": "35.0", "Average Graphics Package Power (W)": "90.0", "GPU use (%)": "0"}, "card1": {"Average Graphics Package Power (W)": "91.0"}, "system": {"Driver version": "6.7.0"}})json";

// Two scrapes of two nodes, with an own metric, a blank, a pod's second series and a histogram.
inline constexpr std::string_view kExpositionText
    = R"(# HELP DCGM_FI_DEV_POWER_USAGE Power draw (in W).
# TYPE DCGM_FI_DEV_POWER_USAGE gauge
DCGM_FI_DEV_POWER_USAGE{gpu="0",UUID="GPU-a",modelName="NVIDIA H100 80GB HBM3",Hostname="node-10"} 400.5 1700000000000
DCGM_FI_DEV_POWER_USAGE{gpu="0",UUID="GPU-a",modelName="NVIDIA H100 80GB HBM3",Hostname="node-10",pod="x"} 400.5 1700000000000
DCGM_FI_DEV_POWER_USAGE{gpu="0",UUID="GPU-b",modelName="NVIDIA H100 80GB HBM3",Hostname="node-9"} 300.5 1700000000000
DCGM_FI_PROF_PIPE_TENSOR_ACTIVE{gpu="0",UUID="GPU-a",Hostname="node-10"} 0.5 1700000000000
DCGM_FI_DEV_MEMORY_TEMP{gpu="0",UUID="GPU-b",Hostname="node-9"} 9223372036854775794 1700000000000
DCGM_FI_DEV_TOTAL_ENERGY_CONSUMPTION{gpu="0",UUID="GPU-b",Hostname="node-9"} 1000000 1700000000000
node_network_receive_bytes_total{device="eth0",instance="node-9:9100"} 1e+06 1700000000000
my_queue_seconds{instance="node-9:9100",text="a \"quoted\" \\ one"} 2.5 1700000000000
request_bucket{le="0.1",instance="node-9:9100"} 3
DCGM_FI_DEV_POWER_USAGE{gpu="0",UUID="GPU-a",modelName="NVIDIA H100 80GB HBM3",Hostname="node-10"} 410.5 1700000015000
DCGM_FI_DEV_POWER_USAGE{gpu="0",UUID="GPU-b",modelName="NVIDIA H100 80GB HBM3",Hostname="node-9"} NaN 1700000015000
# EOF
)";

inline constexpr std::string_view kMatrixText
    = R"({"status":"success","data":{"resultType":"matrix","result":[)"
      R"({"metric":{"__name__":"DCGM_FI_DEV_POWER_USAGE","gpu":"0","UUID":"GPU-a","Hostname":"n1","pod":"p"},"values":[[1700000000,"10"],[1700000001,"20"],[1700000002,"30"],[1700000060,"60"],[1700000061,"NaN"]]},)"
      R"({"metric":{"__name__":"DCGM_FI_DEV_POWER_USAGE","gpu":"0","UUID":"GPU-a","Hostname":"n1"},"values":[[1700000001,"20"],[1700000030.5,"99"],[1700000031.5,"98"]]},)"
      R"({"metric":{"gpu":"1","UUID":"GPU-b","Hostname":"n1"},"values":[[1700000001,"0.5"]]}]}})";

inline constexpr std::string_view kVictoriaText
    = R"({"metric":{"__name__":"gpu_package_power","gpu_id":"2","hostname":"h"},"values":[700,710],"timestamps":[1700000000000,1700000001000]})"
      "\n"
      R"({"metric":{"__name__":"gpu_clock","clock_type":"GPU_CLOCK_TYPE_SYSTEM","gpu_id":"2","hostname":"h"},"values":[2100],"timestamps":[1700000000000]})"
      "\n";

inline constexpr std::string_view kZeusText
    = "Time,0,1\n1700000000.25,100.5,200.5\n1700000000.5,101.5,201.5\n";

inline constexpr std::string_view kNvitopText
    = "timestamp,metrics-daemon/host/cpu_percent (%)/mean,"
      "metrics-daemon/cuda:0 (gpu:3)/power_usage (W)/mean,"
      "metrics-daemon/cuda:0 (gpu:3)/power_usage (W)/max,"
      "metrics-daemon/cuda:0 (gpu:3)/memory_used (MiB)/mean\n"
      "1700000000.0,25.0,300.0,350.0,1024\n1700000005.0,35.0,310.0,351.0,2048\n";

inline constexpr std::string_view kWandbCsvText
    = "_runtime,_timestamp,system.gpu.0.powerWatts,system.gpu.0.gpu,"
      "system.gpu.process.0.powerWatts,system.gpu.1.temp,system.cpu\n"
      "1.5,1700000000.5,250,80,249,60,12\n16.5,1700000015.5,260,90,259,61,13\n";

inline constexpr std::string_view kWandbJsonText
    = R"({"system.gpu.0.powerWatts": 250.5, "system.gpu.1.smClock": 1980, "_timestamp": 1700000000.5, "_runtime": 1.5})"
      "\n"
      R"({"system.gpu.0.powerWatts": 260.5, "_timestamp": 1700000015.5, "_runtime": 16.5})"
      "\n";

inline constexpr std::string_view kGpustatText
    = R"({"hostname": "gpu07", "query_time": "2026-01-02T03:04:05.500000", "gpus": [{"index": 0, "uuid": "GPU-x", "name": "NVIDIA A100", "temperature.gpu": 40, "power.draw": 71, "memory.used": 2}, {"index": 1, "uuid": "GPU-y", "name": "NVIDIA A100", "power.draw": null}]})";

inline constexpr std::string_view kSmiQueryText = R"(
==============NVSMI LOG==============

Timestamp                                 : Tue Mar 25 09:12:42 2025
Driver Version                            : 535.104.05
Attached GPUs                             : 1

GPU 00000000:19:00.0
    Product Name                          : NVIDIA H100 80GB HBM3
    GPU UUID                              : GPU-abc
    Fan Speed                             : N/A
    FB Memory Usage
        Total                             : 81559 MiB
        Used                              : 2 MiB
    Utilization
        Gpu                               : 3 %
        Memory                            : 4 %
    Temperature
        GPU Current Temp                  : 31 C
        GPU Slowdown Temp                 : 87 C
    GPU Power Readings
        Power Draw                        : 71.50 W
        Current Power Limit               : 700.00 W
    Clocks
        Graphics                          : 1980 MHz
        SM                                : 1980 MHz
    Max Clocks
        SM                                : 2000 MHz
)";

inline constexpr std::string_view kSmiXmlText = R"(<?xml version="1.0" ?>
<!DOCTYPE nvidia_smi_log SYSTEM "nvsmi_device_v12.dtd">
<nvidia_smi_log>
	<timestamp>Tue Mar 25 09:12:42 2025</timestamp>
	<attached_gpus>2</attached_gpus>
	<gpu id="00000000:19:00.0">
		<product_name>NVIDIA H100 80GB HBM3</product_name>
		<uuid>GPU-abc</uuid>
		<temperature>
			<gpu_temp>31 C</gpu_temp>
		</temperature>
		<gpu_power_readings>
			<average_power_draw>70.00 W</average_power_draw>
			<instant_power_draw>72.00 W</instant_power_draw>
		</gpu_power_readings>
	</gpu>
	<gpu id="00000000:3B:00.0">
		<uuid>GPU-def</uuid>
		<clocks>
			<sm_clock>1965 MHz</sm_clock>
		</clocks>
	</gpu>
</nvidia_smi_log>
)";

inline constexpr std::string_view kBmcText
    = "timestamp,n1_watts,n2_watts,total_watts\n2025-03-04T05:06:07,5000,6000,11000\n"
      "2025-03-04T05:06:18,5100,6200,11300\n";

inline constexpr std::string_view kTurbostatText
    = "Core\tCPU\tBusy%\tBzy_MHz\tPkgTmp\tPkgWatt\tRAMWatt\n"
      "-\t-\t50.00\t3000\t60\t250.50\t30.25\n0\t0\t60.0\t3100\t60\t250.50\t30.25\n"
      "-\t-\t55.00\t3050\t61\t260.50\t31.25\n";

inline constexpr std::string_view kRaplText
    = "timestamp,package-0_energy_uj,package-0-dram_energy_uj\n1700000000,1000000,500000\n"
      "1700000002,201000000,20500000\n1700000004,100,40500000\n";

inline constexpr std::string_view kPerfText
    = "# started on Tue Mar 25 09:12:42 2025\n\n"
      "     1.000,100.00,Joules,power/energy-pkg/,1000,100.00,,\n"
      "     1.000,20.00,Joules,power/energy-ram/,1000,100.00,,\n"
      "     3.000,240.00,Joules,power/energy-pkg/,1000,100.00,,\n";

inline constexpr std::string_view kIpmiSensorText
    = "2025-03-04 05:06:07\n"
      "Inlet Temp       | 21.000     | degrees C  | ok    | na        | -7.000    | 3.000\n"
      "Fan1A            | 8880.000   | RPM        | ok    | na        | na        | 600.000\n"
      "Pwr Consumption  | 4410.000   | Watts      | ok    | na        | na        | na\n"
      "GPU1 Temp        | na         | degrees C  | na    | na        | na        | na\n"
      "PS Redundancy    | 0x0        | discrete   | 0x0180| na        | na        | na\n"
      "2025-03-04 05:06:17\n"
      "Inlet Temp       | 22.000     | degrees C  | ok    | na        | -7.000    | 3.000\n"
      "Pwr Consumption  | 4420.000   | Watts      | ok    | na        | na        | na\n";

inline constexpr std::string_view kIpmiSdrText = "Inlet Temp       | 23 degrees C      | ok\n"
                                                 "Pwr Consumption  | 344 Watts         | ok\n"
                                                 "Fan1 RPM         | 5400 RPM          | ok\n"
                                                 "Cable            | no reading        | ns\n";

inline constexpr std::string_view kIpmiDcmiText = R"(
    Instantaneous power reading:                   220 Watts
    Minimum during sampling period:                 10 Watts
    Average power reading over sample period:      210 Watts
    IPMI timestamp:                           Tue Mar 25 09:12:42 2025
    Sampling period:                          00000005 Seconds.
    Power reading state is:                   activated
    Instantaneous power reading:                   230 Watts
    IPMI timestamp:                           Tue Mar 25 09:12:47 2025
    Power reading state is:                   activated
)";

inline constexpr std::string_view kRedfishText
    = R"({"timestamp": "2025-03-04T05:06:07Z", "PowerControl": [{"Name": "System Power Control", "PowerConsumedWatts": 4410, "PowerMetrics": {"AverageConsumedWatts": 4300}}], "PowerSupplies": [{"Name": "PSU1", "PowerInputWatts": 2210}]})"
      "\n"
      R"({"timestamp": "2025-03-04T05:06:17Z", "PowerControl": [{"Name": "System Power Control", "PowerConsumedWatts": 4420}]})"
      "\n";

inline constexpr std::string_view kCodeCarbonText
    = "timestamp,project_name,run_id,duration,emissions,energy_consumed,cpu_power,gpu_power,"
      "ram_power,region\n"
      "2025-03-04T05:06:07,llm,,100.5,0.01,0.05,42.5,300.0,10.0,île-de-france\n";

inline constexpr std::string_view kMllogText
    = R"(:::MLLOG {"namespace": "", "time_ms": 1700000000000, "event_type": "POINT_IN_TIME", "key": "conversion_eff", "value": 0.96, "metadata": {"measurement_type": "AC"}}
:::MLLOG {"namespace": "", "time_ms": 1700000001000, "event_type": "POINT_IN_TIME", "key": "power_reading", "value": 3418.0, "metadata": {"host": "0"}}
:::MLLOG {"namespace": "", "time_ms": 1700000002000, "event_type": "POINT_IN_TIME", "key": "power_reading", "value": 3420.0, "metadata": {"host": "0"}}
)";

inline constexpr std::string_view kSplText
    = "Time,03-18-2021 21:29:10.371,Watts,491.400000,Volts,206.740000,Amps,2.478000,PF,0.959300,"
      "Mark,x\nTime,03-18-2021 21:29:11.369,Watts,-1,Volts,206.7,Amps,2.5,PF,0.95,Mark,x\n";

inline constexpr std::array kMeterSamples{kDcgmiDmonText, kSmiDmonText, kSmiPmonText, kAmdWatchText,
    kAmdJsonText, kRocmCsvText, kRocmJsonText, kExpositionText, kMatrixText, kVictoriaText,
    kZeusText, kNvitopText, kWandbCsvText, kWandbJsonText, kGpustatText, kSmiQueryText, kSmiXmlText,
    kBmcText, kTurbostatText, kRaplText, kPerfText, kIpmiSensorText, kIpmiSdrText, kIpmiDcmiText,
    kRedfishText, kCodeCarbonText, kMllogText, kSplText};

} // namespace trainscope::test
