# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Made by reference.py: what the examples must print.
set(expected_int8
  "count 333"
  "minimum -128"
  "maximum 127"
  "mean 9.7927928"
  "standard deviation 76.28252179")
set(expected_int16
  "count 333"
  "minimum -32 768"
  "maximum 32 767"
  "mean 682.24925"
  "standard deviation 19589.10954")
set(expected_int32
  "count 333"
  "minimum -2 147 483 648"
  "maximum 2 147 483 647"
  "mean -66411584"
  "standard deviation 1267432305")
set(expected_int64
  "count 333"
  "minimum 1 700 000 000 000 000 003"
  "maximum 1 700 000 000 000 000 999"
  "mean 1.700000000e+18"
  "standard deviation 285.1437888")
set(expected_uint8
  "count 333"
  "minimum 0"
  "maximum 255"
  "mean 122.5705706"
  "standard deviation 75.84767396")
set(expected_uint16
  "count 333"
  "minimum 0"
  "maximum 65 535"
  "mean 32411.76877"
  "standard deviation 18763.69561")
set(expected_uint32
  "count 333"
  "minimum 0"
  "maximum 4 294 967 295"
  "mean 2119107777"
  "standard deviation 1257960146")
set(expected_uint64
  "count 333"
  "minimum 0"
  "maximum 18 446 744 073 709 551 615"
  "mean 9.21148800e+18"
  "standard deviation 5.212394431e+18")
set(expected_bool
  "count 333"
  "minimum 0"
  "maximum 1"
  "mean 0.285285285"
  "standard deviation 0.451550209")
set(expected_float16
  "count 333"
  "minimum -4.8320312"
  "maximum 5.7148438"
  "mean 0.532921399"
  "standard deviation 1.945338873")
set(expected_float32
  "count 333"
  "minimum -2572.4438"
  "maximum 2694.683"
  "mean -116.094869"
  "standard deviation 987.297722")
set(expected_float64
  "count 333"
  "minimum 1e+15"
  "maximum 1000000000000000.1"
  "mean 1.000000000e+15"
  "standard deviation 0.06249971819")
set(expected_tiny_float64
  "count 333"
  "minimum -9.970349213500404e-101"
  "maximum 2.9935699635088545e-100"
  "mean 9.33742266e-101"
  "standard deviation 1.114292500e-100")
set(expected_one_item
  "count 1"
  "minimum -2.5"
  "maximum -2.5"
  "mean -2.5"
  "standard deviation 0")
set(expected_no_axes
  "count 1"
  "minimum 7"
  "maximum 7"
  "mean 7"
  "standard deviation 0")
set(expected_flight_delays
  "count 200 000"
  "minimum -86"
  "maximum 1 444"
  "mean 7.500795"
  "standard deviation 31.98370131")
set(expected_flight_minutes
  "count 200 000"
  "minimum 0"
  "maximum 1 439"
  "mean 826.55105"
  "standard deviation 293.848048")
set(expected_airport_owners
  "count 20 000"
  "minimum 0"
  "maximum 219"
  "mean 111.30365"
  "standard deviation 60.37952672")
set(expected_dragon_vertices
  "count 68 994"
  "minimum -0.107673"
  "maximum 0.196644"
  "mean 0.0299325727"
  "standard deviation 0.06772985545")
set(expected_bounding_box
  "x -0.107673 0.0959825 0.203655"
  "y 0.0527743 0.196644 0.14387"
  "z -0.050051 0.0408262 0.0908772")
set(expected_surface
  "surface area 729.3624 cm²"
  "longest edge 4.7512 mm")
