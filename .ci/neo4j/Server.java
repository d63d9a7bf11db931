import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.neo4j.configuration.GraphDatabaseSettings;
import org.neo4j.configuration.connectors.BoltConnector;
import org.neo4j.configuration.connectors.HttpConnector;
import org.neo4j.configuration.helpers.SocketAddress;
import org.neo4j.dbms.api.DatabaseManagementService;
import org.neo4j.dbms.api.DatabaseManagementServiceBuilder;

/** A Neo4j that speaks Bolt and asks for a password. Arguments: home, port, file with the password. */
public class Server {
  public static void main(String[] arguments) throws Exception {
    var home = Path.of(arguments[0]);
    var address = new SocketAddress("127.0.0.1", Integer.parseInt(arguments[1]));
    var password = Files.readString(Path.of(arguments[2])).strip();
    var server = new DatabaseManagementServiceBuilder(home)
        .setConfig(BoltConnector.enabled, true)
        .setConfig(BoltConnector.listen_address, address)
        .setConfig(BoltConnector.advertised_address, address)
        .setConfig(HttpConnector.enabled, false)
        .setConfig(GraphDatabaseSettings.auth_enabled, true)
        .setConfig(GraphDatabaseSettings.pagecache_memory, 256L << 20)
        // Otherwise two logs of 256 MB each.
        .setConfig(GraphDatabaseSettings.preallocate_logical_logs, false)
        .build();
    Runtime.getRuntime().addShutdownHook(new Thread(server::shutdown));
    setPassword(server, password);
    System.out.println("READY");
    Thread.currentThread().join();
  }

  /** A restart meets the password that it set before, and Neo4j refuses to set the same one again. */
  private static void setPassword(DatabaseManagementService server, String password) {
    try {
      server.database("system").executeTransactionally(
          "ALTER USER neo4j SET PLAINTEXT PASSWORD $password CHANGE NOT REQUIRED", Map.of("password", password));
    } catch (RuntimeException error) {
      if (!String.valueOf(error.getMessage()).contains("cannot be the same")) {
        error.printStackTrace();
        System.exit(1);
      }
    }
  }
}
