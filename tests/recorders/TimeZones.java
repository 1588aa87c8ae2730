import java.time.Instant;
import java.time.ZoneId;
import java.time.zone.ZoneOffsetTransition;
import java.time.zone.ZoneRules;
import java.util.TreeSet;

/**
 * Prints for each zone that this Java knows its first offset and all changes until 2037, in seconds:
 * {@code Europe/Berlin 3208 -2422054408:3600 …}.
 */
public class TimeZones {
  private static final Instant LAST = Instant.parse("2037-01-01T00:00:00Z");

  public static void main(String[] args) {
    StringBuilder lines = new StringBuilder();
    for (String name : new TreeSet<>(ZoneId.getAvailableZoneIds())) {
      ZoneRules rules = ZoneId.of(name).getRules();
      Instant moment = Instant.ofEpochSecond(-100_000_000_000L);
      lines.append(name).append(' ').append(rules.getOffset(moment).getTotalSeconds());
      while (true) {
        ZoneOffsetTransition next = rules.nextTransition(moment);
        if (next == null || next.getInstant().isAfter(LAST)) {
          break;
        }
        moment = next.getInstant();
        int east = next.getOffsetAfter().getTotalSeconds();
        lines.append(' ').append(moment.getEpochSecond()).append(':').append(east);
      }
      lines.append('\n');
    }
    System.out.print(lines);
  }
}
