// Tests a push client with Pushpit, a local APNs with virtual iPhones: java PushpitTest.java
// It needs Java 17 or later, no library, and the program: pushpit on the PATH, or the one that PUSHPIT_BINARY names.
import java.net.URI;
import java.net.http.*;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.*;
import java.security.*;
import java.security.cert.CertificateFactory;
import java.security.spec.PKCS8EncodedKeySpec;
import java.time.Instant;
import java.util.*;
import java.util.regex.Pattern;
import javax.net.ssl.*;

class PushpitTest {
  /** The shell ends the server when its input is closed: when the tests are over, or their process has died. */
  static final String SERVE = """
      trap : INT; dir=$(mktemp -d); "${PUSHPIT_BINARY:-pushpit}" serve --for-tests --ports 0 --state "$dir" \
      --set lives.uninstallNotice=0s 2>"$dir/log" & exec >&-
      read _; kill $!; wait $! || cat "$dir/log" >&2; rm -r "$dir" """;
  static final HttpClient WEB = HttpClient.newHttpClient();
  static final long NOW = Instant.now().getEpochSecond();
  static String admin;
  static Client apns;

  public static void main(String[] arguments) throws Exception {
    Process server = new ProcessBuilder("sh", "-c", SERVE).redirectError(ProcessBuilder.Redirect.INHERIT).start();
    String ready = Objects.requireNonNull(server.inputReader().readLine(), "Pushpit has not started");
    admin = value(ready, "admin");
    apns = new Client(ready);
    aMatch();
    server.getOutputStream().close();
    System.out.println("The match is over, and everything was as expected.");
  }

  static void aMatch() throws Exception {
    String phone = value(admin("POST", "/v1/sessions", """
        {"name": "goal", "claim": {}, "expect": [
        {"pushes": {"event": "update"}, "all": {"outcome": "updated"}}, {"pushes": {"status": 429}, "count": 1},
        {"screens": {}, "show": {"card": {"state": "ended", "contentState": {"score": 2}}, "notifications": 1}}]}
        """), "devices");
    push("200", phone, "pushToStart", """
        {"aps": {"timestamp": %d, "event": "start", "content-state": {"score": 0}, "attributes-type": "MatchAttributes",
        "attributes": {"home": "Lions"}, "alert": {"title": "Kick-off"}}}""", NOW - 2);
    String change = "{\"aps\": {\"timestamp\": %d, \"event\": \"%s\", \"content-state\": {\"score\": %d}}}";
    push("200", phone, "update", change, NOW - 1, "update", 1);
    push("200", phone, "update", change, NOW, "end", 2); // a phone drops what is not newer than the last update
    admin("POST", "/v1/faults", """
        {"name": "busy", "session": "goal", "limit": 1, "then": {"answer": "TooManyRequests"}}""");
    push("429 TooManyRequests", phone, "device", "{\"aps\": {\"alert\": \"Full time\"}}");
    push("200", phone, "device", "{\"aps\": {\"alert\": \"Full time\"}}");
    admin("POST", "/v1/sessions/goal/close", "{}"); // Pushpit judges what the session expects
    admin("POST", "/v1/devices/" + phone + "/actions", "{\"do\": \"uninstall\"}");
    push("200", phone, "device", "{\"aps\": {\"alert\": \"News\"}}"); // by this push, APNs notices that the app is gone
    push("410 Unregistered", phone, "device", "{\"aps\": {\"alert\": \"News\"}}");
  }

  /** Sends to the phone's token of that kind, which its app would have reported to the backend. */
  static void push(String wanted, String phone, String kind, String payload, Object... values) throws Exception {
    String tokens = admin("GET", "/v1/tokens?environment=sandbox&device=" + phone + "&kind=" + kind, "");
    String type = kind.equals("device") ? "alert" : "liveactivity";
    String found = apns.send(value(tokens, "token"), type, payload.formatted(values));
    if (!found.equals(wanted)) throw new AssertionError(found + ", not " + wanted);
  }

  /** Calls Pushpit's admin API. An error, or an expectation that is not true, fails the test. */
  static String admin(String method, String path, String body) throws Exception {
    HttpRequest request = HttpRequest.newBuilder(URI.create(admin + path)).header("content-type", "application/json")
        .method(method, BodyPublishers.ofString(body)).build();
    String answer = WEB.send(request, BodyHandlers.ofString()).body();
    if (answer.matches("(?s)\\{\"error\":.*|.*\"passed\":false.*")) throw new AssertionError(path + ": " + answer);
    return answer;
  }

  /** The first string of that name. Java has no reader of JSON; your backend has one. */
  static String value(String json, String name) {
    var found = Pattern.compile("\"" + name + "\":\\[?\"([^\"]*)\"").matcher(json);
    return found.find() ? found.group(1) : "";
  }

  /** A push client, in place of yours. A real one makes a new JWT every 20 to 60 minutes. */
  static class Client {
    final String url, jwt;
    final HttpClient http;

    Client(String ready) throws Exception {
      KeyStore trusted = KeyStore.getInstance("PKCS12");
      trusted.load(null, null);
      var ca = Files.newInputStream(Path.of(value(ready, "ca")));
      trusted.setCertificateEntry("ca", CertificateFactory.getInstance("X.509").generateCertificate(ca));
      TrustManagerFactory trust = TrustManagerFactory.getInstance("PKIX");
      trust.init(trusted);
      SSLContext tls = SSLContext.getInstance("TLS");
      tls.init(null, trust.getTrustManagers(), null);
      http = HttpClient.newBuilder().version(HttpClient.Version.HTTP_2).sslContext(tls).build();
      url = "https://" + value(ready, "sandbox") + "/3/device/";
      String p8 = Files.readString(Path.of(value(ready, "p8"))).replaceAll("-----.*-----|\\s", "");
      var key = new PKCS8EncodedKeySpec(Base64.getDecoder().decode(p8));
      Signature signature = Signature.getInstance("SHA256withECDSAinP1363Format");
      signature.initSign(KeyFactory.getInstance("EC").generatePrivate(key));
      String head = "{\"alg\":\"ES256\",\"kid\":\"" + value(ready, "keyId") + "\"}";
      String claims = "{\"iss\":\"%s\",\"iat\":%d}".formatted(value(ready, "teamId"), NOW);
      var base64 = Base64.getUrlEncoder().withoutPadding();
      String signed = base64.encodeToString(head.getBytes()) + "." + base64.encodeToString(claims.getBytes());
      signature.update(signed.getBytes());
      jwt = signed + "." + base64.encodeToString(signature.sign());
    }

    String send(String token, String type, String payload) throws Exception {
      String topic = type.equals("alert") ? "com.example.app" : "com.example.app.push-type.liveactivity";
      HttpRequest request = HttpRequest.newBuilder(URI.create(url + token)).header("authorization", "bearer " + jwt)
          .header("apns-topic", topic).header("apns-push-type", type).header("apns-priority", "10")
          .header("apns-expiration", "" + (NOW + 3600)).POST(BodyPublishers.ofString(payload)).build();
      HttpResponse<String> answer = http.send(request, BodyHandlers.ofString());
      return (answer.statusCode() + " " + value(answer.body(), "reason")).strip();
    }
  }
}
