# The pages of `wari serve` in headless Chromium, label browser: every tests/web/*_test.py against the built server and a small run that the first of these tests trains.
# They need Python alone, and Debian's chromium and chromium-driver (scripts/setup.sh tests); without a driver they skip, or fail under WARI_REQUIRE_BROWSER=1.
function(wari_browser_tests)
  find_package(Python3 3.10 COMPONENTS Interpreter)
  if(NOT Python3_FOUND)
    message(STATUS "no Python: the browser tests are left out")
    return()
  endif()
  set(run ${CMAKE_BINARY_DIR}/browser/run)
  add_test(NAME Browser.TrainsARun COMMAND sh -c
    "rm -rf '${run}' && '$<TARGET_FILE:wari>' train --config '${CMAKE_SOURCE_DIR}/configs/smoke.yaml' --run '${run}' --set evaluation.every=2 --set evaluation.games=20 --set evaluation.visits=8 --set evaluation.table_seeds=6 --set 'evaluation.references=[random, greedy]'")
  set_tests_properties(Browser.TrainsARun PROPERTIES FIXTURES_SETUP browser_run LABELS browser TIMEOUT 300)
  file(GLOB files CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/tests/web/*_test.py)
  foreach(file ${files})
    get_filename_component(name ${file} NAME_WE)
    add_test(NAME Browser.${name} COMMAND ${Python3_EXECUTABLE} -B ${file})
    set_tests_properties(Browser.${name} PROPERTIES FIXTURES_REQUIRED browser_run LABELS browser TIMEOUT 300 SKIP_RETURN_CODE 77
      ENVIRONMENT "WARI_BINARY=$<TARGET_FILE:wari>;WARI_TEST_RUN=${run};WARI_SCREENSHOTS=${CMAKE_BINARY_DIR}/browser/screenshots")
  endforeach()
endfunction()
