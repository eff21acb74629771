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
set(expected_country_points
  "count 198 568"
  "minimum -190.4761"
  "maximum 190.2709"
  "mean 17.7069047"
  "standard deviation 67.24441259")
set(expected_countries
  "country_points.npy: 241 countries, 1 628 outlines and holes, 99 284 places"
  "Russia 16 973 552 99 41.2°N 19.6°E 81.9°N 169.7°W 42.2 %"
  "Antarctica 12 356 500 108 90.0°S 180.0°W 60.5°S 180.0°E 37.2 %"
  "Canada 9 923 154 141 41.7°N 141.0°W 83.1°N 52.7°W 48.1 %"
  "United States of America 9 455 794 127 19.0°N 172.5°E 71.4°N 67.0°W 17.8 %"
  "China 9 373 042 13 18.2°N 73.6°E 53.6°N 134.8°E 44.0 %"
  "Brazil 8 467 130 17 33.7°S 74.0°W 5.3°N 34.8°W 47.3 %"
  "Australia 7 691 230 42 54.7°S 112.9°E 10.1°S 159.0°E 36.7 %"
  "India 3 148 261 14 6.7°N 68.2°E 35.5°N 97.3°E 33.0 %"
  "Argentina 2 782 469 4 55.0°S 73.6°W 21.8°S 53.7°W 44.0 %"
  "Kazakhstan 2 720 674 4 40.6°N 46.6°E 55.4°N 87.3°E 54.6 %"
  "Dem. Rep. Congo 2 324 527 1 13.5°S 12.2°E 5.3°N 31.3°E 53.2 %"
  "Algeria 2 319 346 1 19.0°N 8.7°W 37.1°N 12.0°E 57.2 %"
  "northernmost Greenland: 2 171 424 km² in 17 rings, 59.8°N to 83.6°N, 38.3 % of its box"
  "southernmost Antarctica: 12 356 500 km² in 108 rings, 90.0°S to 60.5°S, 37.2 % of its box"
  "most rings Canada: 9 923 154 km² in 141 rings, 41.7°N to 83.1°N, 48.1 % of its box"
  "fullest box Vatican: 0.777 km² in one ring, 41.9°N to 41.9°N, 90 % of its box"
  "emptiest box Kiribati: 937.305 km² in 19 rings, 11.5°S to 3.9°N, 0.0129 % of its box"
  "All together: 146 737 772 km². The CPU's boxes and areas are the same.")
set(expected_named_rings
  "ring_places.npy: 3 countries, 3 outlines and holes, 14 places"
  "there 43 079 2 1.0°S 179.0°E 1.0°N 179.0°W 87.5 %"
  "here 9 231 1 0.0°N 0.0°E 1.0°N 1.0°E 75.0 %"
  "northernmost there: 43 079 km² in 2 rings, 1.0°S to 1.0°N, 87.5 % of its box"
  "southernmost there: 43 079 km² in 2 rings, 1.0°S to 1.0°N, 87.5 % of its box"
  "most rings there: 43 079 km² in 2 rings, 1.0°S to 1.0°N, 87.5 % of its box"
  "fullest box there: 43 079 km² in 2 rings, 1.0°S to 1.0°N, 87.5 % of its box"
  "emptiest box here: 9 231 km² in one ring, 0.0°N to 1.0°N, 75 % of its box"
  "nowhere 0 0"
  "All together: 52 311 km². The CPU's boxes and areas are the same.")
set(expected_rings
  "ring_places.npy: 3 countries, 3 outlines and holes, 14 places"
  "number 1 49 234 1 1.0°S 179.0°E 1.0°N 179.0°W 100.0 %"
  "number 0 9 231 1 0.0°N 0.0°E 1.0°N 1.0°E 75.0 %"
  "number 2 6 154 1 0.5°S 179.5°E 0.5°N 179.5°W 50.0 %"
  "northernmost number 1: 49 234 km² in one ring, 1.0°S to 1.0°N, 100 % of its box"
  "southernmost number 1: 49 234 km² in one ring, 1.0°S to 1.0°N, 100 % of its box"
  "most rings number 1: 49 234 km² in one ring, 1.0°S to 1.0°N, 100 % of its box"
  "fullest box number 1: 49 234 km² in one ring, 1.0°S to 1.0°N, 100 % of its box"
  "emptiest box number 2: 6 154 km² in one ring, 0.5°S to 0.5°N, 50 % of its box"
  "All together: 64 620 km². The CPU's boxes and areas are the same.")
set(expected_outlines
  "Russia 4 893 51034.962 km"
  "Antarctica 2 541 33614.065 km"
  "Canada 3 316 31148.790 km"
  "China 2 477 24432.851 km"
  "United States of America 1 987 23080.890 km"
  "all of them together 1023065.579 km"
  "longest edge 628.054 km"
  "half of the longest lies before longitude 73.88, latitude 67.09"
  "The CPU's results are the same.")
set(expected_ring_lengths
  "number 1 4 889.493 km"
  "number 0 4 402.299 km"
  "number 2 3 359.830 km"
  "all of them together 1651.621 km"
  "longest edge 222.390 km"
  "half of the longest lies before longitude 181.00, latitude 1.00"
  "The CPU's results are the same.")
set(expected_track
  "length 51034.962 km"
  "longest leg 88.904 km"
  "end to start 0.000 km"
  "The CPU's results are the same.")
set(expected_two_places
  "length 5848.858 km"
  "longest leg 5848.858 km"
  "end to start 5848.858 km"
  "The CPU's results are the same.")
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
set(expected_rain
  "87°N to 79°N 389.3 953 █████"
  "79°N to 71°N 478.0 1648 ██████"
  "71°N to 63°N 645.5 3232 █████████"
  "63°N to 55°N 959.9 5643 █████████████"
  "55°N to 47°N 1124.5 5166 ███████████████"
  "47°N to 39°N 1118.6 8774 ███████████████"
  "39°N to 31°N 1020.5 4243 ██████████████"
  "31°N to 23°N 911.6 10584 ████████████"
  "23°N to 15°N 961.1 6941 █████████████"
  "15°N to 7°N 1767.7 14415 ████████████████████████"
  "7°N to 1°S 2124.9 16199 ██████████████████████████████"
  "1°S to 9°S 1851.8 20195 ██████████████████████████"
  "9°S to 17°S 1381.7 8291 ███████████████████"
  "17°S to 25°S 884.1 5422 ████████████"
  "25°S to 33°S 848.5 3646 ███████████"
  "33°S to 41°S 1113.9 2079 ███████████████"
  "41°S to 49°S 1257.9 5960 █████████████████"
  "49°S to 57°S 1298.9 6142 ██████████████████"
  "57°S to 65°S 1120.0 2732 ███████████████"
  "65°S to 73°S 704.9 3512 █████████"
  "73°S to 81°S 251.3 1754 ███"
  "largest mean of a row: 2617.1, 6°N to 5°N"
  "largest mean of a column: 1446.0, 146°E to 147°E"
  "largest mean of a box: 4995.6, 1°S to 9°S, 140°E to 148°E"
  "plain loops give the same")
set(expected_areas
  "1 x 1 20195.0 91 315"
  "4 x 4 8210.3 91 321"
  "16 x 16 3771.0 80 315"
  "64 x 64 2085.9 41 272"
  "mean of all: 1057.8"
  "plain loops give the same")
set(expected_sea
  "January 17.59 3986 15.75 5520"
  "February 17.21 3974 16.02 5597"
  "March 17.24 3992 16.49 5428"
  "April 17.70 4026 19.39 4417"
  "May 18.57 4064 20.14 4000"
  "June 19.46 4159 19.95 3774"
  "July 19.87 4396 18.92 3831"
  "August 19.60 4651 18.56 3809"
  "September 19.17 4647 18.69 3775"
  "October 19.11 4408 18.03 4098"
  "November 18.87 4168 16.54 4728"
  "December 18.30 4030 15.73 5300"
  "90°N to 80°N 2.38 -1.73 10.30 1 %"
  "80°N to 70°N 2.41 -2.30 19.50 27 %"
  "70°N to 60°N 5.08 -1.90 17.22 34 %"
  "60°N to 50°N 7.21 -2.20 17.73 50 %"
  "50°N to 40°N 11.55 -0.98 25.34 59 %"
  "40°N to 30°N 19.42 0.59 29.56 65 %"
  "30°N to 20°N 24.47 13.64 33.16 68 %"
  "20°N to 10°N 27.16 18.80 32.31 80 %"
  "10°N to 0°N 27.82 22.25 30.30 83 %"
  "0°N to 10°S 27.16 16.30 31.00 82 %"
  "10°S to 20°S 25.79 14.40 32.00 82 %"
  "20°S to 30°S 22.60 12.77 30.00 80 %"
  "30°S to 40°S 17.58 7.80 25.53 91 %"
  "40°S to 50°S 10.96 1.20 19.80 78 %"
  "50°S to 60°S 4.46 -1.90 13.00 55 %"
  "60°S to 70°S 0.54 -2.60 6.00 31 %"
  "70°S to 80°S -0.95 -2.30 0.90 4 %"
  "largest change: 0.00 to 24.34 in row 21, column 108, warmest in July"
  "most places of the north are warmest in August: 1 811 of them"
  "most places of the south are warmest in February: 1 569 of them"
  "the CPU's results are the same, to the bit")
set(expected_totals
  "DFW 1 103 10 462 ▁▁▁▁▁▁▁▁▁▁▁▂▂▃▃▄▄▅▆▇▇███ 17:19 18:00 1 142"
  "ORD 1 095 8 181 ▁▁▁▁▁▁▁··▁▁▁▁▁▂▂▃▄▄▅▆▇██ 19:21 22:00 1 356"
  "PHX 633 7 627 ▁▁▁▁▁▁····▁▁▂▂▃▃▄▅▆▆▇███ 17:30 17:00 925"
  "LAX 777 7 289 ▁▁▁▁▁▁▁·▁▁▁▁▂▂▃▃▄▄▅▆▇███ 18:14 20:00 1 003"
  "ATL 846 6 611 ▁▁▁▁▁▁▁▁▁▂▂▂▃▄▄▄▅▅▆▆▇███ 16:11 20:00 927"
  "DEN 452 5 377 ·····▁▁▁▁▁▂▂▄▄▅▅▅▆▆▇████ 14:36 12:00 829"
  "STL 550 5 250 ▁▁▁▁▁▁▁▁▁▁▁▂▃▃▃▄▅▅▆▇▇▇██ 16:41 12:00 668"
  "BOS 369 4 619 ········▁▂▂▂▃▄▄▄▄▄▅▆▇███ 18:28 19:00 841"
  "LAS 464 4 617 ▁▁▁▂▂▂▂▂▁▂▂▃▃▄▄▅▅▆▆▇████ 14:44 12:00 416"
  "SEA 339 4 522 ▁▁▁▁▁▁▂▂▂▂▂▂▃▃▄▄▅▆▆▇▇███ 16:33 17:00 559"
  "MIA 294 3 858 ·····▁···▁▁▂▂▃▄▄▅▅▆▇████ 16:31 19:00 646"
  "SFO 388 3 337 ·············▁▁▂▂▃▄▅▆▇██ 19:18 19:00 618"
  "20 000 flights, 220 airports. Offsets and the CPU give the same.")
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
