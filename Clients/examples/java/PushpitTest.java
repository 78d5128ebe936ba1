// Unverified: written by the documentation of Testcontainers for Java, and never run. It wants an image pushpit:0.1.0.
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.InputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import org.junit.jupiter.api.Test;
import org.testcontainers.containers.GenericContainer;
import org.testcontainers.containers.wait.strategy.Wait;
import org.testcontainers.junit.jupiter.Container;
import org.testcontainers.junit.jupiter.Testcontainers;

@Testcontainers
class PushpitTest {
  @Container
  static final GenericContainer<?> pushpit = new GenericContainer<>("pushpit:0.1.0").withExposedPorts(2190, 2197)
      .withCommand("serve", "--for-tests", "--host", "0.0.0.0", "--state", "/state")
      .waitingFor(Wait.forHttp("/health").forPort(2190));

  @Test
  void aGoalIsOnTheLockScreen() throws Exception {
    byte[] ca = pushpit.copyFileFromContainer("/state/ca.pem", InputStream::readAllBytes);
    String apns = "https://" + pushpit.getHost() + ":" + pushpit.getMappedPort(2197);
    String row = get("/v1/tokens?kind=device&environment=sandbox&limit=1"); // {"tokens":[{"token":"…","device":"d0",…
    new Backend(apns, ca).send(row.split("\"")[5], "Goal!"); // yours; the key is the AuthKey_….p8 beside ca.pem
    assertTrue(get("/v1/devices/d0/screen").contains("\"body\":\"Goal!\""));
  }

  static String get(String path) throws Exception {
    URI url = URI.create("http://" + pushpit.getHost() + ":" + pushpit.getMappedPort(2190) + path);
    return HttpClient.newHttpClient().send(HttpRequest.newBuilder(url).build(), BodyHandlers.ofString()).body();
  }
}
