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
set(expected_delays
  "Latest of the 76 airports with 50 flights or more"
  "JFK 200 16.2 278 ████████████████"
  "RIC 50 14.4 151 ██████████████"
  "ROC 58 13.4 166 █████████████"
  "SEA 339 13.3 240 █████████████"
  "SMF 121 13.1 273 █████████████"
  "ALB 54 2.7 121 ██"
  "CLE 178 2.4 105 ██"
  "MKE 64 1.4 153 █"
  "SDF 72 0.8 93"
  "BHM 60 -1.6 86"
  "00:00 697 41.9 1 403 █████████████████████████████████████████"
  "01:00 446 23.4 514 ███████████████████████"
  "02:00 80 65.4 573 ██████████████████████████████████████████████████…"
  "03:00 11 142.6 245 ██████████████████████████████████████████████████…"
  "04:00 11 30.7 215 ██████████████████████████████"
  "05:00 2 597 -2.9 215"
  "06:00 13 048 -1.3 404"
  "07:00 13 115 0.6 817"
  "08:00 12 975 2.0 1 260 ██"
  "09:00 12 226 2.8 245 ██"
  "10:00 11 287 4.6 314 ████"
  "11:00 12 353 5.6 394 █████"
  "12:00 12 022 5.9 370 █████"
  "13:00 12 854 6.3 1 327 ██████"
  "14:00 11 342 7.8 477 ███████"
  "15:00 12 095 8.2 463 ████████"
  "16:00 11 613 10.5 518 ██████████"
  "17:00 13 325 9.7 638 █████████"
  "18:00 11 702 10.7 600 ██████████"
  "19:00 11 592 12.3 391 ████████████"
  "20:00 10 400 13.0 418 ████████████"
  "21:00 7 206 17.4 405 █████████████████"
  "22:00 5 149 20.5 469 ████████████████████"
  "23:00 1 854 35.2 1 444 ███████████████████████████████████"
  "Owners and offsets give the same: 220 airports, 24 hours.")
set(expected_boxes
  "0 1 47 794 47 794 100.0 %"
  "1 2 21 033 26 761 92.0 %"
  "2 4 5 324 15 709 68.2 %"
  "3 8 2 212 8 171 60.5 %"
  "4 16 179 5 384 57.9 %"
  "5 32 56 3 328 52.3 %"
  "6 64 26 1 924 45.6 %"
  "On every level the boxes together are the whole box:")
set(expected_routes
  "routes.mtx: 305 x 305, integer general, 5 366 entries"
  "longest row 173 entries, empty rows 2, x: row sums"
  "ATL 173 414 513 42326.90951 28 935 453 613"
  "ORD 149 350 380 38784.29404 28 252 965 899"
  "DFW 134 281 281 31092.9625 24 540 486 975"
  "DEN 127 241 443 30977.33163 23 965 346 833"
  "LAX 90 215 608 36066.76603 24 984 222 413"
  "PHX 88 199 408 29797.82912 21 671 550 061"
  "IAH 114 185 172 21891.66408 17 445 641 527"
  "LAS 91 172 876 28335.68686 21 314 038 077"
  "The CPU's results are the same, to the bit.")
