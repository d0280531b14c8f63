import kotlinx.serialization.KSerializer
import kotlinx.serialization.encoding.Decoder
import kotlinx.serialization.encoding.Encoder
import kotlinx.serialization.json.JsonElement
import org.openapitools.client.apis.GinRummyApi
import org.openapitools.client.apis.TwinsApi
import org.openapitools.client.infrastructure.ClientError
import org.openapitools.client.infrastructure.ClientException
import org.openapitools.client.infrastructure.Serializer
import org.openapitools.client.models.*

/** What a problem's rulings tell in `params`, which differs by code: as JSON. */
object AnyJson : KSerializer<Any> {
    private val json = JsonElement.serializer()
    override val descriptor = json.descriptor
    override fun serialize(encoder: Encoder, value: Any) = json.serialize(encoder, value as JsonElement)
    override fun deserialize(decoder: Decoder): Any = json.deserialize(decoder)
}

/** A trick, a knock, an illegal move, a 400 and a 422, by the client that openapi-generator made: `ProbeKt URL`. */
fun main(arguments: Array<String>) {
    Serializer.kotlinxSerializationAdaptersConfiguration = { contextual(Any::class, AnyJson) }
    Serializer.kotlinxSerializationJsonConfiguration = { explicitNulls = false }
    val twins = TwinsApi(arguments[0])

    val plays = listOf(
        listOf("blue-9", "blue-7"), listOf("blue-3", "green-4"), listOf("yellow-5", "pink-7"), listOf("brown-2", "purple-10"),
    ).mapIndexed { seat, cards -> TwinsMove.PlayWrapper(TwinsPlay(PlayType.play, seat, cards.map { TwinsCard.decode(it)!! })) }
    fun resolve(state: TwinsState) = twins.resolveTwins(TwinsResolveBody(state, plays))

    val trick = TwinsState(phase = TwinsState.Phase.trick, trick = 1, chips = listOf(12, 12, 12, 12), pot = 0)
    val won = resolve(trick)
    val paid = won.events.last()
    println("trick ${paid.code} ${paid.params.seat} ${paid.params.amount} ${won.state.pot}")

    val discard = GinRummyState(
        phase = GinRummyState.Phase.discard,
        turn = 0,
        hands = listOf(
            cards("4S", "5S", "6S", "9H", "9D", "9C", "AH", "2D", "3C", "AD", "KC"),
            cards("QS", "QH", "QD", "7S", "9S", "KH", "5D", "2C", "8C", "JD"),
        ),
    )
    val knock = GinRummyResolveBody(
        discard,
        listOf(
            GinRummyMove.KnockWrapper(GinRummyKnock(KnockType.knock, seat = 0, discard = GinRummyCard.KC)),
            GinRummyMove.LayOffWrapper(GinRummyLayOff(LayOffType.layMinusOff, seat = 1)),
        ),
    )
    val over = GinRummyApi(arguments[0]).resolveGinRummy(knock).events.last()
    println("knock ${over.code} ${over.params.points}")

    val buying = TwinsState(phase = TwinsState.Phase.buying, chips = listOf(2, 12, 12, 12), pot = 10, dealer = 3)
    val buy = TwinsValidateBody(buying, TwinsMove.BuyWrapper(TwinsBuy(BuyType.buy, seat = 0, count = 2)))
    val violation = twins.validateTwins(buy).violations.first()
    println("illegal ${violation.rule} ${violation.code} ${violation.pointer}")

    val refused = problemOf { resolve(TwinsState(TwinsState.Phase.trick, listOf(1), 0)) }
    println("${refused.status} ${refused.type} ${refused.errors?.first()?.pointer}")
    val impossible = problemOf { resolve(TwinsState(TwinsState.Phase.buying, listOf(1, 2, 3), 0)) }
    println("${impossible.status} ${impossible.type} ${impossible.faults?.first()?.code}")
}

fun cards(vararg names: String) = names.map { GinRummyCard.decode(it)!! }

fun problemOf(call: () -> Any): Problem {
    try {
        call()
    } catch (refused: ClientException) {
        return Serializer.kotlinxSerializationJson.decodeFromString((refused.response as ClientError<*>).body as String)
    }
    throw AssertionError("not refused")
}
