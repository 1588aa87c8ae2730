import io.debezium.engine.ChangeEvent;
import io.debezium.engine.DebeziumEngine;
import io.debezium.engine.format.Json;
import java.io.PrintWriter;
import java.io.Reader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Properties;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/**
 * Runs one embedded Debezium engine for each properties file that is named, and writes the values
 * that it sends, one a line (a tombstone is the line "null"), until it sends a row of public.done.
 *
 * <p>{@code java -cp 'jars/*' DebeziumRecorder.java one.properties two.properties} writes one.jsonl
 * and two.jsonl beside them.
 */
public class DebeziumRecorder {
    public static void main(String[] arguments) throws Exception {
        CountDownLatch running = new CountDownLatch(arguments.length);
        ExecutorService threads = Executors.newCachedThreadPool();
        List<DebeziumEngine<?>> engines = new ArrayList<>();
        for (String argument : arguments) {
            engines.add(engine(Path.of(argument), running));
        }
        engines.forEach(threads::execute);
        running.await();
        for (DebeziumEngine<?> engine : engines) {
            engine.close();
        }
        threads.shutdown();
        System.exit(0);
    }

    private static DebeziumEngine<?> engine(Path file, CountDownLatch running) throws Exception {
        Properties properties = new Properties();
        try (Reader reader = Files.newBufferedReader(file)) {
            properties.load(reader);
        }
        String name = file.getFileName().toString().replace(".properties", ".jsonl");
        PrintWriter output = new PrintWriter(Files.newBufferedWriter(file.resolveSibling(name)));
        boolean[] done = {false};
        return DebeziumEngine.create(Json.class)
                .using(properties)
                .using((success, message, error) -> {
                    if (!success) {
                        System.err.println(file + ": " + message + ": " + error);
                    }
                    if (!done[0]) {
                        done[0] = true;
                        running.countDown();
                    }
                })
                .notifying((List<ChangeEvent<String, String>> events,
                        DebeziumEngine.RecordCommitter<ChangeEvent<String, String>> committer) -> {
                    for (ChangeEvent<String, String> event : events) {
                        boolean last = event.destination().endsWith(".public.done");
                        if (!last && !done[0]) {
                            output.println(event.value() == null ? "null" : event.value());
                        }
                        if (last && !done[0]) {
                            done[0] = true;
                            output.close();
                            running.countDown();
                        }
                        committer.markProcessed(event);
                    }
                    committer.markBatchFinished();
                })
                .build();
    }
}
