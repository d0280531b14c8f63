import com.fasterxml.jackson.databind.ObjectMapper;
import java.util.List;
import java.util.stream.Stream;
import org.openapitools.client.ApiClient;
import org.openapitools.client.ApiException;
import org.openapitools.client.api.GinRummyApi;
import org.openapitools.client.api.TwinsApi;
import org.openapitools.client.model.*;

/** A trick, a knock, an illegal move, a 400 and a 422, by the client that openapi-generator made: `Probe URL`. */
public class Probe {
    interface Call {
        void make() throws ApiException;
    }

    static final List<List<TwinsCard>> PLAYS =
            List.of(
                    List.of(TwinsCard.BLUE_9, TwinsCard.BLUE_7),
                    List.of(TwinsCard.BLUE_3, TwinsCard.GREEN_4),
                    List.of(TwinsCard.YELLOW_5, TwinsCard.PINK_7),
                    List.of(TwinsCard.BROWN_2, TwinsCard.PURPLE_10));

    public static void main(String[] arguments) throws Exception {
        ApiClient client = new ApiClient();
        client.updateBaseUri(arguments[0]);
        TwinsApi twins = new TwinsApi(client);
        GinRummyApi ginRummy = new GinRummyApi(client);

        TwinsResolution won =
                twins.resolveTwins(
                        played(new TwinsState().phase(TwinsState.PhaseEnum.TRICK).trick(1).chips(List.of(12, 12, 12, 12)).pot(0)),
                        null,
                        null);
        TwinsEvent paid = won.getEvents().get(won.getEvents().size() - 1);
        TwinsEventParams params = paid.getParams();
        System.out.println("trick " + paid.getCode() + " " + params.getSeat() + " " + params.getAmount() + " " + won.getState().getPot());

        GinRummyState discard =
                new GinRummyState()
                        .phase(GinRummyState.PhaseEnum.DISCARD)
                        .turn(0)
                        .hands(
                                List.of(
                                        cards("4S", "5S", "6S", "9H", "9D", "9C", "AH", "2D", "3C", "AD", "KC"),
                                        cards("QS", "QH", "QD", "7S", "9S", "KH", "5D", "2C", "8C", "JD")));
        GinRummyResolveBody knock =
                new GinRummyResolveBody()
                        .state(discard)
                        .addMovesItem(new GinRummyMove(new GinRummyKnock().type(KnockType.KNOCK).seat(0).discard(GinRummyCard.KC)))
                        .addMovesItem(new GinRummyMove(new GinRummyLayOff().type(LayOffType.LAY_OFF).seat(1)));
        List<GinRummyEvent> events = ginRummy.resolveGinRummy(knock, null, null).getEvents();
        GinRummyEvent over = events.get(events.size() - 1);
        System.out.println("knock " + over.getCode() + " " + over.getParams().getPoints());

        TwinsState buying = new TwinsState().phase(TwinsState.PhaseEnum.BUYING).chips(List.of(2, 12, 12, 12)).pot(10).dealer(3);
        TwinsMove buy = new TwinsMove(new TwinsBuy().type(BuyType.BUY).seat(0).count(2));
        TwinsViolation violation =
                twins.validateTwins(new TwinsValidateBody().state(buying).move(buy), null, null).getViolations().get(0);
        System.out.println("illegal " + violation.getRule() + " " + violation.getCode() + " " + violation.getPointer());

        TwinsState oneSeat = new TwinsState().phase(TwinsState.PhaseEnum.TRICK).chips(List.of(1)).pot(0);
        Problem refused = problemOf(() -> twins.resolveTwins(played(oneSeat), null, null));
        System.out.println(refused.getStatus() + " " + refused.getType() + " " + refused.getErrors().get(0).getPointer());
        TwinsState astray = new TwinsState().phase(TwinsState.PhaseEnum.BUYING).chips(List.of(1, 2, 3)).pot(0);
        Problem impossible = problemOf(() -> twins.resolveTwins(played(astray), null, null));
        System.out.println(impossible.getStatus() + " " + impossible.getType() + " " + impossible.getFaults().get(0).getCode());
    }

    static List<GinRummyCard> cards(String... names) {
        return Stream.of(names).map(GinRummyCard::fromValue).toList();
    }

    static TwinsResolveBody played(TwinsState state) {
        TwinsResolveBody body = new TwinsResolveBody().state(state);
        for (int seat = 0; seat < PLAYS.size(); seat++) {
            body.addMovesItem(new TwinsMove(new TwinsPlay().type(PlayType.PLAY).seat(seat).cards(PLAYS.get(seat))));
        }
        return body;
    }

    static Problem problemOf(Call call) throws Exception {
        try {
            call.make();
        } catch (ApiException refused) {
            return new ObjectMapper().readValue(refused.getResponseBody(), Problem.class);
        }
        throw new AssertionError("not refused");
    }
}
