import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.file.Files;
import java.nio.file.Path;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.framework.recipes.locks.InterProcessMutex;
import org.apache.curator.retry.RetryOneTime;

/** Curator's InterProcessMutex: Main.java HOSTS PATH */
public class Main {
  public static void main(String[] args) throws Exception {
    CuratorFramework client = CuratorFrameworkFactory.newClient(args[0], new RetryOneTime(100));
    client.start();
    client.blockUntilConnected();
    InterProcessMutex lock = new InterProcessMutex(client, args[1]);
    BufferedReader orders = new BufferedReader(new InputStreamReader(System.in));
    System.out.println("ready");
    for (String line = orders.readLine(); line != null; line = orders.readLine()) {
      String[] order = line.split(" ");
      switch (order[0]) {
        case "lock":
          lock.acquire();
          System.out.println("locked");
          break;
        case "unlock":
          lock.release();
          System.out.println("unlocked");
          break;
        default:
          count(order[0].equals("race") ? null : lock, Integer.parseInt(order[1]), Path.of(order[2]));
          System.out.println("counted");
      }
    }
    System.exit(0); // its threads would go on
  }

  static void count(InterProcessMutex lock, int rounds, Path file) throws Exception {
    for (int i = 0; i < rounds; i++) {
      if (lock == null) {
        step(file);
        continue;
      }
      lock.acquire();
      step(file);
      lock.release();
      Thread.sleep(5); // so that others get the lock, too
    }
  }

  /** One step of the counter, in parts that another could come between. */
  static void step(Path file) throws IOException, InterruptedException {
    String text = Files.readString(file).strip();
    Thread.sleep(1);
    Files.writeString(file, (text.isEmpty() ? 0 : Integer.parseInt(text)) + 1 + "\n");
  }
}
