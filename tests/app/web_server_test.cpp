#include "app/server/web_server.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <signal.h>
#include <sys/stat.h>

#include <chrono>
#include <filesystem>
#include <thread>

#include "app/server/host_check.h"
#include "arena/child_process.h"
#include "core/error.h"
#include "tests/app/run_wari.h"
#include "tests/app/web_client.h"
#include "tests/core/rule_mixes.h"

// What holds for every request, whatever it asks for.
namespace wari {
namespace {

using testing::AllOf;
using testing::HasSubstr;

class WebServerTest : public testing::Test {
 protected:
  int status_of(const std::string& bytes) {
    const RawConnection connection(server_.port());
    connection.send(bytes);
    return connection.read_status();
  }
  int port() const { return server_.port(); }

  WebServer server_{test_settings()};
};

TEST_F(WebServerTest, ServesThePagesWithTheirTypesAndHeadersThatKeepThemSafe) {
  const Answer page = get(port(), "/");
  EXPECT_EQ(page.status, 200);
  EXPECT_EQ(page.header("content-type"), "text/html; charset=utf-8");
  EXPECT_THAT(page.header("content-security-policy"), AllOf(HasSubstr("default-src 'self'"), HasSubstr("frame-ancestors 'none'"), testing::Not(HasSubstr("unsafe"))));
  EXPECT_EQ(page.header("x-content-type-options"), "nosniff");
  EXPECT_EQ(page.header("referrer-policy"), "no-referrer");
  EXPECT_EQ(page.body, get(port(), "/index.html").body);
  EXPECT_EQ(get(port(), "/api/rules").header("content-security-policy"), page.header("content-security-policy"));
}

TEST_F(WebServerTest, AnUnchangedPageIsNotSentAgain) {
  const std::string etag = get(port(), "/").header("etag");
  ASSERT_GT(etag.size(), 10u);
  const Answer again = get(port(), "/", {{"If-None-Match", etag}});
  EXPECT_EQ(again.status, 304);
  EXPECT_EQ(again.body, "");
  EXPECT_EQ(get(port(), "/", {{"If-None-Match", "\"other\""}}).status, 200);
}

TEST_F(WebServerTest, AHeadRequestGetsTheHeadersAlone) {
  const RawConnection connection(port());
  connection.send("HEAD / HTTP/1.1\r\nHost: localhost\r\n\r\n");
  const std::string answer = connection.read_all();
  EXPECT_THAT(answer, testing::StartsWith("HTTP/1.1 200"));
  EXPECT_THAT(answer, testing::EndsWith("\r\n\r\n"));
}

TEST_F(WebServerTest, UnknownPathsAndMethodsAreRefused) {
  EXPECT_EQ(get(port(), "/nothing.html").status, 404);
  EXPECT_EQ(get(port(), "/api/nothing").status, 404);
  EXPECT_THAT(get(port(), "/api/nothing").error(), HasSubstr("'/api/nothing'"));
  const Answer wrong = ask(port(), "GET", "/api/game");
  EXPECT_EQ(wrong.status, 405);
  EXPECT_EQ(wrong.header("allow"), "POST");
  EXPECT_EQ(ask(port(), "PUT", "/api/match").status, 405);
  EXPECT_EQ(ask(port(), "PUT", "/api/match").header("allow"), "POST, GET, DELETE");
  EXPECT_EQ(ask(port(), "DELETE", "/").status, 405);
  EXPECT_EQ(ask(port(), "OPTIONS", "/api/game").status, 405);
  EXPECT_EQ(status_of("BREW /api/game HTTP/1.1\r\nHost: localhost\r\n\r\n"), 400);
}

TEST_F(WebServerTest, WhatIsNotHttpIsRefused) {
  EXPECT_EQ(status_of("\x16\x03\x01\x02\r\n\r\n"), 400);  // TLS, as scanners send it
  EXPECT_EQ(status_of("SSH-2.0-OpenSSH\r\n"), 400);
  EXPECT_EQ(status_of("GET / HTTP/2.0\r\n\r\n"), 400);
  EXPECT_EQ(status_of("GET http://elsewhere/ HTTP/1.1\r\n\r\n"), 400);
  EXPECT_EQ(status_of("GET / HTTP/1.1\r\nno colon\r\n\r\n"), 400);
  EXPECT_EQ(status_of(std::string("GET / HTTP/1.1\r\nHost: local\0host\r\n\r\n", 40)), 400);
  EXPECT_EQ(status_of("GET / HTTP/1.1\r\nHost: localhost\r\nHost: localhost\r\n\r\n"), 400);
  EXPECT_EQ(get(port(), "/").status, 200) << "and the server goes on";
}

TEST_F(WebServerTest, MutatedBytesNeverHurtIt) {
  const std::string good = post_bytes("/api/game", R"({"rules": "warri", "moves": "FfEb"})");
  ASSERT_EQ(status_of(good), 200);
  int refused = 0;
  for (std::uint64_t number = 0; number < 600; ++number) {
    std::string bytes = good;
    for (std::uint32_t change = 0; change <= test_draw(number, 0, 6); ++change) {
      const std::size_t place = test_draw(number, 10 * change + 1, static_cast<std::uint32_t>(bytes.size()));
      const char byte = static_cast<char>(test_draw(number, 10 * change + 2, 256));
      switch (test_draw(number, 10 * change + 3, 3)) {
        case 0: bytes[place] = byte; break;
        case 1: bytes.erase(place, 1 + test_draw(number, 10 * change + 4, 9)); break;
        default: bytes.insert(place, 1 + test_draw(number, 10 * change + 4, 9), byte);
      }
    }
    const RawConnection connection(port());
    connection.send(bytes);
    connection.finish();
    const int status = connection.read_status();  // 0: it ended before it was whole
    ASSERT_TRUE(status == 0 || status == 200 || (status >= 400 && status < 500) || status == 501) << status << " " << bytes;
    refused += status >= 400;
  }
  EXPECT_GT(refused, 200);
  EXPECT_EQ(status_of(good), 200) << "and the server goes on";
}

TEST_F(WebServerTest, SizesAreLimited) {
  EXPECT_EQ(status_of("GET /" + std::string(5000, 'a') + " HTTP/1.1\r\nHost: localhost\r\n\r\n"), 414);
  EXPECT_EQ(status_of(std::string(100'000, 'A')), 414) << "a line without an end";
  EXPECT_EQ(status_of("GET / HTTP/1.1\r\nHost: localhost\r\nX: " + std::string(30'000, 'a') + "\r\n\r\n"), 431);
  const std::string head = "GET / HTTP/1.1\r\nHost: localhost\r\nX: ";
  EXPECT_EQ(status_of(head + std::string(18'000, 'a') + "\r\n\r\n"), 431) << "a short first line leaves the headers no more room";
  EXPECT_EQ(status_of(head + std::string(16'000, 'a') + "\r\n\r\n"), 200);
  std::string many = "GET / HTTP/1.1\r\nHost: localhost\r\n";
  for (int i = 0; i < 5000; ++i) many += "X-" + std::to_string(i) + ": 1\r\n";
  EXPECT_EQ(status_of(many + "\r\n"), 431);
  EXPECT_EQ(status_of("POST /api/game HTTP/1.1\r\nHost: localhost\r\nContent-Length: 99999999\r\n\r\n"), 413);
  EXPECT_EQ(status_of("POST /api/game HTTP/1.1\r\nHost: localhost\r\nContent-Length: 99999999999999999999999\r\n\r\n"), 400);
  EXPECT_EQ(status_of("POST /api/game HTTP/1.1\r\nHost: localhost\r\nContent-Length: -1\r\n\r\n"), 400);
  EXPECT_EQ(status_of("POST /api/game HTTP/1.1\r\nHost: localhost\r\n\r\n"), 411);
  EXPECT_EQ(status_of("POST /api/game HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"), 501);
  EXPECT_EQ(status_of("POST /api/game HTTP/1.1\r\nHost: localhost\r\nContent-Encoding: gzip\r\nContent-Length: 2\r\n\r\n{}"), 501);
  EXPECT_EQ(post_text(port(), "/api/game", "{\"rules\": \"" + std::string(70'000, 'a') + "\"}").status, 413);
}

TEST_F(WebServerTest, ARefusalReachesAClientThatIsStillSending) {
  const Answer answer = post_text(port(), "/api/game", std::string(3 << 20, 'x'));
  EXPECT_EQ(answer.status, 413);
  EXPECT_THAT(answer.error(), HasSubstr("at most"));
}

TEST_F(WebServerTest, OnlyItsOwnNamesAndPagesMayAsk) {
  EXPECT_EQ(get(port(), "/", {{"Host", "evil.example"}}).status, 403);
  EXPECT_EQ(get(port(), "/api/about", {{"Host", "evil.example:" + std::to_string(port())}}).status, 403);
  EXPECT_EQ(status_of("GET / HTTP/1.1\r\n\r\n"), 403) << "no Host at all";
  const std::string host = "localhost:" + std::to_string(port());
  EXPECT_EQ(get(port(), "/", {{"Host", host}}).status, 200);
  EXPECT_EQ(get(port(), "/", {{"Host", "[::1]:80"}}).status, 200);
  const nlohmann::json game = nlohmann::json::object();
  EXPECT_EQ(post(port(), "/api/game", game, {{"Host", host}, {"Origin", "http://" + host}}).status, 200);
  for (const char* origin : {"http://evil.example", "null", "http://localhost:1", "https://localhost", "file://"})
    EXPECT_EQ(post(port(), "/api/game", game, {{"Host", host}, {"Origin", origin}}).status, 403) << origin;
  EXPECT_EQ(post(port(), "/api/game", game, {{"Sec-Fetch-Site", "cross-site"}}).status, 403);
  EXPECT_EQ(get(port(), "/", {{"Sec-Fetch-Site", "cross-site"}}).status, 200) << "a link from elsewhere";
  EXPECT_EQ(post_text(port(), "/api/game", "{}", "text/plain").status, 415) << "what a form of another page can send";
}

TEST(HostCheck, KnowsItsOwnNames) {
  for (const char* own : {"localhost", "LOCALHOST:80", "127.0.0.1:8320", "[::1]", "[::1]:8320"}) EXPECT_TRUE(is_own_host(own, "127.0.0.1")) << own;
  for (const char* foreign : {"", "localhost.evil.example", "127.0.0.1.evil.example", "localhost:80:80", "localhost:", "192.168.0.7", "[::2]", "evil@localhost", "::1]", "[::1]evil", "[::1]:", "[::1]:80x", "[::1]."})
    EXPECT_FALSE(is_own_host(foreign, "127.0.0.1")) << foreign;
  EXPECT_TRUE(is_own_host("192.168.0.7:8320", "0.0.0.0"));
  EXPECT_FALSE(is_own_host("evil.example", "0.0.0.0")) << "a foreign name may point here";
  EXPECT_TRUE(is_own_host("board.example:80", "board.example"));
}

TEST_F(WebServerTest, NothingOutsideThePagesIsRead) {
  TestFolder folder;
  std::filesystem::create_directory(folder.path() + "/pages");
  folder.file("secret.txt", "secret");
  folder.file("pages/index.html", "inside");
  folder.file("pages/.hidden.html", "secret");
  folder.file("pages/key.pem", "secret");
  std::filesystem::create_symlink(folder.path() + "/secret.txt", folder.path() + "/pages/link.txt");
  std::filesystem::create_directory_symlink(folder.path(), folder.path() + "/pages/up");
  WebServerSettings settings = test_settings();
  settings.pages = folder.path() + "/pages";
  const WebServer server(settings);
  EXPECT_EQ(get(server.port(), "/").body, "inside");
  for (const char* path : {"/../secret.txt", "/%2e%2e/secret.txt", "/..%2fsecret.txt", "/%2e%2e%2fsecret.txt", "//etc/passwd", "/etc/../../secret.txt", "/link.txt", "/up/secret.txt",
                           "/.hidden.html", "/key.pem", "/index.html/../../secret.txt", "/index.html%00.txt", "/\\..\\secret.txt", "/pages/../../secret.txt", "/."}) {
    const RawConnection connection(server.port());
    connection.send(std::string("GET ") + path + " HTTP/1.1\r\nHost: localhost\r\n\r\n");
    const std::string answer = connection.read_all();
    EXPECT_THAT(answer, testing::StartsWith("HTTP/1.1 4")) << path;
    EXPECT_THAT(answer, testing::Not(HasSubstr("\r\n\r\nsecret"))) << path;
  }
  std::filesystem::remove(folder.path() + "/pages/index.html");
  folder.file("pages/index.html", "changed");
  EXPECT_EQ(get(server.port(), "/").body, "changed") << "read anew at each request";
}

TEST(WebServerTime, ASlowRequestIsGivenUpAndAnUnusedConnectionClosed) {
  WebServerSettings settings = test_settings();
  settings.http.limits.time = std::chrono::milliseconds(200);
  const WebServer server(settings);
  const RawConnection slow(server.port()), unused(server.port());
  slow.send("GET / HTTP/1.1\r\nHost: loc");
  EXPECT_EQ(slow.read_status(), 408);
  EXPECT_EQ(unused.read_all(), "");
}

TEST(WebServerTime, ConnectionsThatSendNothingDoNotKeepOutOthers) {
  WebServerSettings settings = test_settings();
  settings.http.threads = 4;
  settings.http.limits.crowded_head_time = std::chrono::milliseconds(100);
  const WebServer server(settings);
  std::vector<std::unique_ptr<RawConnection>> idle;
  for (int i = 0; i < 40; ++i) {
    idle.push_back(std::make_unique<RawConnection>(server.port()));
    if (i % 4 == 0) idle.back()->send("GET / HT");
  }
  const auto begin = std::chrono::steady_clock::now();
  EXPECT_EQ(get(server.port(), "/").status, 200);
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(8)) << "ten seconds each, four at once";
}

TEST(WebServerTime, UnusedConnectionsDoNotKeepItFromStopping) {
  auto server = std::make_unique<WebServer>(test_settings());
  std::vector<std::unique_ptr<RawConnection>> unused;
  for (int i = 0; i < 20; ++i) unused.push_back(std::make_unique<RawConnection>(server->port()));
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
  const auto begin = std::chrono::steady_clock::now();
  server.reset();
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(5));
}

TEST(WebServerTime, WhoeverWaitsWhileItStopsHearsSo) {
  for (const bool move : {false, true}) {
    auto server = std::make_unique<WebServer>(test_settings());
    Answer answer;
    std::thread waiting([&, port = server->port()] {
      answer = move ? post(port, "/api/move", {{"strength", {{"movetime_ms", 20'000}}}}) : post(port, "/api/think", {{"movetime_ms", 20'000}});
    });
    std::this_thread::sleep_for(std::chrono::milliseconds(200));
    server.reset();
    waiting.join();
    EXPECT_EQ(answer.status, 503) << answer.body;
    EXPECT_EQ(answer.error(), "the server is stopping: start it again");
  }
}

TEST_F(WebServerTest, APortInUseIsAnErrorThatSaysSo) {
  WebServerSettings settings = test_settings();
  settings.http.port = port();
  try {
    const WebServer second(settings);
    FAIL() << "two servers on one port";
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), AllOf(HasSubstr("port in use"), HasSubstr(std::to_string(port())), HasSubstr("--port")));
  }
  const Ran ran = run_wari({"serve", "--port", std::to_string(port())});
  EXPECT_EQ(ran.status, 2);
  EXPECT_THAT(ran.err, AllOf(testing::StartsWith("wari: port in use"), testing::EndsWith("\n")));
  EXPECT_EQ(std::count(ran.err.begin(), ran.err.end(), '\n'), 1);
}

TEST(WebServerProcess, WrongFlagsAreOneLine) {
  EXPECT_EQ(run_wari({"serve", "--run", "/nowhere"}).status, 2);
  EXPECT_THAT(run_wari({"serve", "--run", "/nowhere"}).err, HasSubstr("no such run: '/nowhere'"));
  EXPECT_EQ(run_wari({"serve", "--checkpoint", "/nowhere"}).status, 2);
  EXPECT_EQ(run_wari({"serve", "--rules", "abappa"}).status, 2);
  EXPECT_EQ(run_wari({"serve", "--pages", "/nowhere"}).status, 2);
  EXPECT_EQ(run_wari({"serve", "--host", "no.such.host.invalid"}).status, 2);
}

// The process that prints its number first, then becomes the server.
void expect_stop_by_signal(int signal) {
  TestFolder folder;
  const std::string script = folder.file("serve", "#!/bin/sh\necho $$\nexec " + std::string(WARI_BINARY_DIR) + "/wari serve --port 0 --threads 1\n");
  ::chmod(script.c_str(), 0755);
  ChildProcess process(script);
  std::vector<std::string> lines;
  for (int look = 0; look < 400 && lines.size() < 2; ++look) {
    process.read_available();
    for (std::string line; process.take_line(line);) lines.push_back(line);
    std::this_thread::sleep_for(std::chrono::milliseconds(25));
  }
  ASSERT_EQ(lines.size(), 2u) << process.last_lines();
  ASSERT_THAT(lines[1], testing::StartsWith("wari serves at http://127.0.0.1:"));
  const int port = std::atoi(lines[1].substr(lines[1].rfind(':') + 1).c_str());
  EXPECT_EQ(get(port, "/").status, 200);
  std::thread thinking([port] { post(port, "/api/think", {{"movetime_ms", 20'000}}); });
  std::this_thread::sleep_for(std::chrono::milliseconds(200));
  ::kill(std::atoi(lines[0].c_str()), signal);
  EXPECT_TRUE(process.wait_for_end(5000)) << "a search under way must not hold it up";
  EXPECT_EQ(process.exit_text(), "exited with " + std::to_string(128 + signal));
  thinking.join();
}

TEST(WebServerProcess, StopsAtASignalWhileItThinks) {
  expect_stop_by_signal(SIGINT);
  expect_stop_by_signal(SIGTERM);
}

}  // namespace
}  // namespace wari
