// A trick, a knock, an illegal move, a 400 and a 422, by the client that openapi-generator made: `probe URL`.
package main

import (
	"context"
	"errors"
	"fmt"
	"log"
	"os"

	referee "github.com/GIT_USER_ID/GIT_REPO_ID"
)

func main() {
	config := referee.NewConfiguration()
	config.Servers = referee.ServerConfigurations{{URL: os.Args[1]}}
	client := referee.NewAPIClient(config)
	ctx := context.Background()

	trick := referee.NewTwinsState("trick", []int32{12, 12, 12, 12}, 0)
	trick.SetTrick(1)
	var plays []referee.TwinsMove
	for seat, cards := range [][]referee.TwinsCard{
		{"blue-9", "blue-7"}, {"blue-3", "green-4"}, {"yellow-5", "pink-7"}, {"brown-2", "purple-10"},
	} {
		plays = append(plays, referee.TwinsMove{TwinsPlay: referee.NewTwinsPlay(referee.PLAY, int32(seat), cards)})
	}
	resolve := func(state *referee.TwinsState, moves []referee.TwinsMove) (*referee.TwinsResolution, error) {
		body := *referee.NewTwinsResolveBody(*state, moves)
		answer, _, err := client.TwinsAPI.ResolveTwins(ctx).TwinsResolveBody(body).Execute()
		return answer, err
	}
	won := must(resolve(trick, plays))
	paid := won.Events[len(won.Events)-1]
	fmt.Println("trick", paid.Code, paid.Params.GetSeat(), paid.Params.GetAmount(), won.State.GetPot())

	hands := [][]*referee.GinRummyCard{
		cards("4S", "5S", "6S", "9H", "9D", "9C", "AH", "2D", "3C", "AD", "KC"),
		cards("QS", "QH", "QD", "7S", "9S", "KH", "5D", "2C", "8C", "JD"),
	}
	turn := int32(0)
	discard := referee.NewGinRummyState("discard", *referee.NewNullableInt32(&turn), hands)
	knock := referee.NewGinRummyKnock(referee.KNOCK, 0)
	knock.SetDiscard("KC")
	layOff := referee.NewGinRummyLayOff(referee.LAY_OFF, 1)
	moves := []referee.GinRummyMove{{GinRummyKnock: knock}, {GinRummyLayOff: layOff}}
	body := *referee.NewGinRummyResolveBody(*discard, moves)
	knocked, _, err := client.GinRummyAPI.ResolveGinRummy(ctx).GinRummyResolveBody(body).Execute()
	over := must(knocked, err).Events[len(knocked.Events)-1]
	fmt.Println("knock", over.Code, over.Params.GetPoints())

	buying := referee.NewTwinsState("buying", []int32{2, 12, 12, 12}, 10)
	buying.SetDealer(3)
	buy := referee.TwinsMove{TwinsBuy: referee.NewTwinsBuy(referee.BUY, 0, 2)}
	asked := *referee.NewTwinsValidateBody(*buying, buy)
	judged, _, err := client.TwinsAPI.ValidateTwins(ctx).TwinsValidateBody(asked).Execute()
	violation := must(judged, err).Violations[0]
	fmt.Println("illegal", violation.Rule, violation.Code, violation.Pointer)

	_, err = resolve(referee.NewTwinsState("trick", []int32{1}, 0), plays)
	problem := problemOf(err)
	fmt.Println(problem.Status, problem.Type, problem.Errors[0].Pointer)
	_, err = resolve(referee.NewTwinsState("buying", []int32{1, 2, 3}, 0), plays)
	problem = problemOf(err)
	fmt.Println(problem.Status, problem.Type, problem.Faults[0].Code)
}

func must[A any](answer *A, err error) *A {
	if err != nil {
		log.Fatal(err)
	}
	return answer
}

func problemOf(err error) referee.Problem {
	var refused *referee.GenericOpenAPIError
	if !errors.As(err, &refused) {
		log.Fatal("not refused: ", err)
	}
	return refused.Model().(referee.Problem)
}

func cards(names ...referee.GinRummyCard) []*referee.GinRummyCard {
	var hand []*referee.GinRummyCard
	for i := range names {
		hand = append(hand, &names[i])
	}
	return hand
}
